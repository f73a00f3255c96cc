// SPDX-License-Identifier: Apache-2.0
//! Runs the steps of one case.

use std::ffi::CStr;
use std::time::{Duration, Instant};

use gpustream::sys::{self, Api};
use gpustream_checks::built;
use libloading::Library;
use serde_json::Value as Json;

use super::arguments::Arguments;
use super::check::check;
use super::operations::{Outcome, call};
use super::value::{Names, Value};

/// The limit of "until": it bounds hangs and does not measure speed.
const PATIENCE: Duration = Duration::from_secs(60);

struct Runner {
    api: &'static Api,
    native: Library,
    names: Names,
}

pub fn run(constants: &Json, steps: &Json) -> Result<(), String> {
    let path = built("tests/parity/libgpustream_parity_native.so");
    let api = sys::api().map_err(|error| error.to_string())?;
    // SAFETY: the library runs nothing when it is loaded.
    let native = unsafe { Library::new(&path) }.map_err(|error| error.to_string())?;
    let mut names = Names::new(constants)?;
    names.set("native", Value::Text(path.to_string_lossy().into_owned()));
    let mut runner = Runner { api, native, names };
    let result = runner.run_steps(steps);
    // Functions of the library may still be running in streams.
    std::mem::forget(runner);
    result
}

impl Runner {
    fn run_steps(&mut self, steps: &Json) -> Result<(), String> {
        for (index, step) in steps.as_array().ok_or("a list of steps is wanted")?.iter().enumerate() {
            let op = step["op"].as_str().map(|op| format!(" ({op})")).unwrap_or_default();
            self.run_step(step).map_err(|text| format!("step {}{op}: {text}", index + 1))?;
        }
        Ok(())
    }

    fn run_step(&mut self, step: &Json) -> Result<(), String> {
        if let Some(steps) = step.get("thread") {
            let run = || self.run_steps(steps);
            return std::thread::scope(|scope| scope.spawn(run).join()).map_err(|_| "the thread panicked")?;
        }
        if let Some(steps) = step.get("fork") {
            return self.in_child(steps);
        }
        if let Some(times) = step.get("repeat") {
            return (0..times.as_u64().ok_or("a number of times")?).try_for_each(|_| self.run_steps(&step["steps"]));
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let outcome = self.perform(step)?;
            match self.judge(step, &outcome) {
                Err(_) if step["until"] == true && Instant::now() < deadline => std::thread::yield_now(),
                result => return result,
            }
        }
    }

    fn perform(&self, step: &Json) -> Result<Outcome, String> {
        let op = step["op"].as_str().ok_or("an operation is wanted")?;
        call(self.api, &self.native, op, &mut Arguments::new(&self.names, step, &self.native))
    }

    fn judge(&mut self, step: &Json, outcome: &Outcome) -> Result<(), String> {
        if let Some(status) = outcome.status {
            let (found, wanted) = (self.status_name(status), step["expect"].as_str().unwrap_or("GS_OK"));
            if found != wanted {
                return Err(format!("status is {found}, wanted {wanted}{}", self.detail(status)));
            }
        }
        if let Some(wanted) = step.get("returns") {
            let returned = outcome.returned.as_ref().ok_or("the function returns a status")?;
            check(&self.names, wanted, returned, "the result")?;
        }
        if let Some(wanted) = step.get("value") {
            self.judge_outputs(wanted, &outcome.outputs)?;
        }
        for (index, name) in step["out"].as_array().into_iter().flatten().enumerate() {
            if let Some(name) = name.as_str() {
                self.names.set(name, outcome.outputs.get(index).ok_or("fewer outputs than names")?.clone());
            }
        }
        Ok(())
    }

    fn judge_outputs(&self, wanted: &Json, outputs: &[Value]) -> Result<(), String> {
        let list = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
        if list.len() != outputs.len() {
            return Err(format!("{} outputs, but {} expected values", outputs.len(), list.len()));
        }
        let mut all = list.iter().zip(outputs).enumerate();
        all.try_for_each(|(index, (wanted, found))| check(&self.names, wanted, found, &format!("output {}", index + 1)))
    }

    fn status_name(&self, status: i32) -> &'static str {
        // SAFETY: takes any number; the text is never freed.
        unsafe { CStr::from_ptr(self.api.gs_status_name(status).unwrap()) }.to_str().unwrap()
    }

    fn detail(&self, status: i32) -> String {
        if status == sys::GS_OK {
            return String::new();
        }
        let mut info = sys::gs_error_info_t::default();
        // SAFETY: a local struct that states its size; its texts are NUL-terminated.
        unsafe {
            self.api.gs_last_error(&raw mut info).unwrap();
            format!(": {}", CStr::from_ptr(info.message.as_ptr()).to_string_lossy())
        }
    }

    /// The child ends by `_exit`: exit handlers belong to the parent.
    fn in_child(&mut self, steps: &Json) -> Result<(), String> {
        // SAFETY: all other threads of the process belong to the library.
        unsafe {
            match libc::fork() {
                -1 => Err("fork failed".into()),
                0 => {
                    let result = self.run_steps(steps);
                    if let Err(text) = &result {
                        eprintln!("in the child: {text}");
                    }
                    libc::_exit(i32::from(result.is_err()));
                }
                pid => {
                    let mut status = 0;
                    let waited = libc::waitpid(pid, &raw mut status, 0);
                    if waited == pid && status == 0 { Ok(()) } else { Err("the child failed".into()) }
                }
            }
        }
    }
}
