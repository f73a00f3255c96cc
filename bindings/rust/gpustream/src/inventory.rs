// SPDX-License-Identifier: Apache-2.0
//! The GPUs of the machine, from NVIDIA's management library (NVML). CUDA is neither needed nor started.

use std::ffi::{CStr, c_char};
use std::ptr::null;

use gpustream_sys::gs_inventory_entry_t;

use crate::call::{api, check, fill, get, read, terminated};
use crate::device::{Device, PciAddress};
use crate::error::Result;
use crate::status::Status;
use crate::text::array_text;

/// Numbers of the machine's GPUs and MIG instances, whether or not this process may use them.
///
/// NVML may take milliseconds to answer. The functions start no backend, and work in a forked child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// GPUs. They are entries 0 to `gpus - 1`, in the order of NVML's index.
    pub gpus: u32,
    /// GPUs and MIG instances together.
    pub entries: u32,
}

/// Whether this process has an entry as a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// It is the device with this ordinal.
    Device(u16),
    /// It is not visible to this process.
    Hidden,
    /// Not known at this point; see [`Device::inventory_index`].
    Unknown,
}

/// One GPU, or one MIG instance of a GPU. What NVML does not report is 0, `None` or an empty text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InventoryEntry {
    /// [`Status::OK`], or [`Status::DRIVER`] if the GPU is listed but does not answer.
    pub status: Status,
    /// NVML's code if `status` is not OK, otherwise 0.
    pub native: i32,
    /// NVML's index of the GPU; for a MIG instance, that of its GPU.
    pub nvml_index: i32,
    /// Whether this process has it as a device.
    pub visibility: Visibility,
    /// NVML's index of a MIG instance on its GPU; `None` for a GPU.
    pub mig_index: Option<i32>,
    /// Whether the GPU is divided into MIG instances, and only those can be used.
    pub mig_enabled: bool,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
    /// Address of the GPU on the PCI bus.
    pub pci: Option<PciAddress>,
    /// Memory, bytes; the instance's for MIG.
    pub total_memory_bytes: u64,
    /// UUID as text, beginning with `GPU-` or `MIG-`.
    pub uuid: String,
    /// Name of the product.
    pub name: String,
}

impl Inventory {
    /// Counts GPUs and MIG instances.
    pub fn count() -> Result<Self> {
        let (mut gpus, mut entries) = (0, 0);
        // SAFETY: the outputs are local variables.
        check(unsafe { api()?.gs_inventory_count(&raw mut gpus, &raw mut entries) })?;
        Ok(Self { gpus: i32::unsigned_abs(gpus), entries: i32::unsigned_abs(entries) })
    }

    /// Returns entry `index`, 0 to `entries - 1`. Each call queries NVML again, since MIG instances
    /// may appear and disappear.
    pub fn get(index: u32) -> Result<InventoryEntry> {
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let raw = fill!(gs_inventory_get(index))?;
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
    /// The inventory index of a CUDA device, for [`Inventory::get`]. It is found by UUID or PCI address, never by
    /// position.
    pub fn inventory_index(self) -> Result<u32> {
        read!(gs_inventory_index(self.as_raw())).map(i32::unsigned_abs)
    }
}

/// Splits the value of `CUDA_VISIBLE_DEVICES` as the driver does: into numbers, or beginnings of UUIDs. `None` stands
/// for an unset variable, for which the result is 0 to 63. Whether the devices exist is not checked.
pub fn parse_visible_devices(value: Option<&str>) -> Result<Vec<String>> {
    let value = value.map(|value| terminated(value, "gs_parse_visible_devices")).transpose()?;
    let pointer = value.as_ref().map_or(null(), |value| value.as_ptr());
    // SAFETY: the input is null or NUL-terminated, the output is a local variable.
    let list = get(|api, out: *mut *mut c_char| unsafe { api.gs_parse_visible_devices(pointer, out.cast()) })?;
    // SAFETY: the text stays valid until this thread's next call of these functions.
    Ok(unsafe { elements(list) }.into_iter().map(str::to_owned).collect())
}

/// Finds the UUIDs that begin with the candidates and returns their positions in `uuids`. A candidate with no match, or
/// with more than one, ends the list; two candidates for one UUID make it empty.
pub fn match_uuids<A: AsRef<str>, B: AsRef<str>>(candidates: &[A], uuids: &[B]) -> Vec<usize> {
    let mut found = Vec::new();
    for candidate in candidates {
        let matches = |position: &usize| uuids[*position].as_ref().starts_with(candidate.as_ref());
        let mut positions = (0..uuids.len()).filter(matches);
        match (positions.next(), positions.next()) {
            (Some(only), None) if found.contains(&only) => return Vec::new(),
            (Some(only), None) => found.push(only),
            _ => break,
        }
    }
    found
}

/// # Safety
///
/// `list` is null, or NUL-terminated and valid for `'a`.
unsafe fn elements<'a>(list: *const c_char) -> Vec<&'a str> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's obligation.
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
