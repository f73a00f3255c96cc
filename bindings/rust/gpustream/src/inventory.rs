// SPDX-License-Identifier: Apache-2.0
//! What GPUs the machine has, asked of NVIDIA's management library (NVML): nothing of CUDA is needed or started.

use std::ffi::{CStr, CString, c_char};
use std::ptr::null;

use gpustream_sys::{self as sys, gs_inventory_entry_t};

use crate::call::{api, array_text, check, get};
use crate::device::{Device, PciAddress};
use crate::error::{Error, Result};
use crate::status::Status;

/// The GPUs of the machine and their MIG instances, whether or not this process may use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// GPUs: entries 0 to `gpus - 1`, by NVML's index.
    pub gpus: u32,
    /// GPUs and MIG instances together.
    pub entries: u32,
}

/// Whether a CUDA device of this process is the entry's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// It has this ordinal.
    Device(u16),
    /// Not visible to this process.
    Hidden,
    /// Cannot be known now; see [`Device::inventory_index`].
    Unknown,
}

/// One GPU, or one MIG instance of a GPU. What NVML cannot tell is 0, `None` or an empty text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InventoryEntry {
    /// [`Status::OK`]; [`Status::DRIVER`]: the GPU is listed but cannot be asked.
    pub status: Status,
    /// NVML's code beside another status than OK, else 0.
    pub native: i32,
    /// NVML's index of the GPU; of the GPU it lies on for a MIG instance.
    pub nvml_index: i32,
    /// Whether this process has it as a device.
    pub visibility: Visibility,
    /// NVML's index of a MIG instance on its GPU; `None` for a GPU.
    pub mig_index: Option<i32>,
    /// A GPU that is divided into MIG instances: only those can be used.
    pub mig_enabled: bool,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
    /// Where the GPU sits.
    pub pci: Option<PciAddress>,
    /// Memory, of the instance for MIG, bytes.
    pub total_memory_bytes: u64,
    /// UUID as text, `GPU-` or `MIG-` in front.
    pub uuid: String,
    /// Name.
    pub name: String,
}

impl Inventory {
    /// Counts. [`Status::UNAVAILABLE`] if there is no NVML or it does not match the kernel module.
    pub fn count() -> Result<Self> {
        let (mut gpus, mut entries) = (0, 0);
        // SAFETY: the outputs are local variables.
        check(unsafe { api()?.gs_inventory_count(&raw mut gpus, &raw mut entries) })?;
        Ok(Self { gpus: i32::unsigned_abs(gpus), entries: i32::unsigned_abs(entries) })
    }

    /// One entry, asked anew at each call: MIG instances come and go. [`Status::INVALID_ARGUMENT`] if there is none.
    pub fn get(index: u32) -> Result<InventoryEntry> {
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let mut raw = gs_inventory_entry_t::default();
        // SAFETY: the struct is a local variable that says its size.
        check(unsafe { api()?.gs_inventory_get(index, &raw mut raw) })?;
        Ok(InventoryEntry::from_raw(&raw))
    }
}

impl InventoryEntry {
    fn from_raw(raw: &gs_inventory_entry_t) -> Self {
        let visibility = match raw.ordinal {
            -1 => Visibility::Hidden,
            ordinal => u16::try_from(ordinal).map_or(Visibility::Unknown, Visibility::Device),
        };
        let pci = PciAddress { domain: raw.pci_domain, bus: raw.pci_bus, device: raw.pci_device };
        Self {
            status: Status(raw.status),
            native: raw.native_code,
            nvml_index: raw.nvml_index,
            visibility,
            mig_index: (raw.is_mig != 0).then_some(raw.mig_index),
            mig_enabled: raw.mig_enabled != 0,
            capability: (raw.capability_major, raw.capability_minor),
            pci: (raw.has_pci != 0).then_some(pci),
            total_memory_bytes: raw.total_memory_bytes,
            uuid: array_text(&raw.uuid),
            name: array_text(&raw.name),
        }
    }
}

impl Device {
    /// The entry of a CUDA device, for [`Inventory::get`]. Found by UUID or PCI address, never by position; where that
    /// cannot be known before the driver is started, [`Status::NOT_SUPPORTED`] rather than a guess.
    pub fn inventory_index(self) -> Result<u32> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_inventory_index(self.as_raw(), out) }).map(i32::unsigned_abs)
    }
}

/// Takes a `CUDA_VISIBLE_DEVICES` text apart, as the driver reads it: numbers, or beginnings of UUIDs. `None`: the variable
/// is not set. Which devices exist is not looked at.
pub fn parse_visible_devices(value: Option<&str>) -> Result<Vec<String>> {
    let value = value.map(|value| text(value, "gs_parse_visible_devices")).transpose()?;
    let pointer = value.as_ref().map_or(null(), |value| value.as_ptr());
    // SAFETY: the input is null or ends with a NUL, the output is a local variable.
    let list = get(|api, out: *mut *mut c_char| unsafe { api.gs_parse_visible_devices(pointer, out.cast()) })?;
    // SAFETY: this thread's text, until its next call of these functions.
    Ok(unsafe { elements(list) }.into_iter().map(str::to_owned).collect())
}

/// Finds which UUIDs are meant by beginnings of UUIDs: positions among `uuids`. A candidate that fits none, or more than
/// one, ends the list; two for one UUID make it empty.
///
/// Elements are joined by commas, so one with a comma counts as two.
pub fn match_uuids<A: AsRef<str>, B: AsRef<str>>(candidates: &[A], uuids: &[B]) -> Result<Vec<usize>> {
    // In C an empty text is a list of one empty element.
    if candidates.is_empty() || uuids.is_empty() {
        return Ok(Vec::new());
    }
    let candidates = text(&join(candidates), "gs_match_uuids")?;
    let uuids = text(&join(uuids), "gs_match_uuids")?;
    let (candidates, uuids) = (candidates.as_ptr(), uuids.as_ptr());
    // SAFETY: the inputs end with a NUL, the output is a local variable.
    let list = get(|api, out: *mut *mut c_char| unsafe { api.gs_match_uuids(candidates, uuids, out.cast()) })?;
    // SAFETY: this thread's text, until its next call of these functions.
    let positions = unsafe { elements(list) };
    let number = |text: &str| {
        text.parse()
            .map_err(|_| Error::new(Status(sys::GS_ERROR_INTERNAL), "gs_match_uuids", &format!("no position: {text}")))
    };
    positions.into_iter().map(number).collect()
}

fn join<T: AsRef<str>>(list: &[T]) -> String {
    list.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(",")
}

fn text(text: &str, function: &str) -> Result<CString> {
    CString::new(text).map_err(|error| Error::new(Status::INVALID_ARGUMENT, function, &error.to_string()))
}

/// # Safety
///
/// The text, if not null, ends with a NUL and outlives `'a`.
unsafe fn elements<'a>(list: *const c_char) -> Vec<&'a str> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's.
    let list = unsafe { CStr::from_ptr(list) }.to_str().unwrap_or_default();
    if list.is_empty() { Vec::new() } else { list.split(',').collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        let of = |ordinal| InventoryEntry::from_raw(&gs_inventory_entry_t { ordinal, ..Default::default() }).visibility;
        assert_eq!((of(3), of(-1), of(-2)), (Visibility::Device(3), Visibility::Hidden, Visibility::Unknown));
    }

    #[test]
    fn empty_lists_are_empty() {
        // SAFETY: texts of this program.
        unsafe {
            assert!(elements(null()).is_empty());
            assert!(elements(c"".as_ptr()).is_empty());
            assert_eq!(elements(c"0,12".as_ptr()), ["0", "12"]);
        }
    }
}
