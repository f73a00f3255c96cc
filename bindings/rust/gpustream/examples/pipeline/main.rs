// SPDX-License-Identifier: Apache-2.0
//! Drives a file through a device in chunks (copy-in, a kernel that computes CRC-32 and byte histogram, copy-out) on
//! several streams, ordered by events, and checks the result against a sequential pass.
//!
//! ```text
//! cargo run --release --example pipeline -- FILE [--streams N] [--chunk BYTES] [--kernels PATH]
//! ```
//!
//! The kernel is that of examples/pipeline in the repository: a shared object for the host backend (`--kernels`, by
//! default the one of the release build), PTX for CUDA. Exit status: 0 the result is right, 1 it is wrong, 2 a call
//! failed.

mod digest;
mod lane;

use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use gpustream::{Backend, Device, Module};
use indicatif::{ProgressBar, ProgressStyle};

use digest::Digest;
use lane::Lane;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

struct Options {
    file: PathBuf,
    streams: usize,
    chunk: usize,
    kernels: Option<PathBuf>,
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Outcome<Options> {
    let usage = "usage: pipeline FILE [--streams 1..64] [--chunk BYTES] [--kernels PATH]";
    let mut options = Options { file: PathBuf::new(), streams: 6, chunk: 4 << 20, kernels: None };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(usage);
        match argument.as_str() {
            "--streams" => options.streams = value()?.parse()?,
            "--chunk" => options.chunk = value()?.parse()?,
            "--kernels" => options.kernels = Some(value()?.into()),
            file if !file.starts_with('-') && options.file.as_os_str().is_empty() => options.file = file.into(),
            _ => return Err(usage.into()),
        }
    }
    let right = !options.file.as_os_str().is_empty()
        && (1..=64).contains(&options.streams)
        && (1..=1 << 30).contains(&options.chunk);
    if right { Ok(options) } else { Err(usage.into()) }
}

fn load_kernels(device: Device, path: Option<&Path>) -> Outcome<Module> {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let path = match (path, Backend::default_backend()?) {
        (Some(path), _) => path.to_owned(),
        (None, Some(Backend::Host)) => tree.join("build/release/bin/pipeline_kernels.so"),
        (None, _) => tree.join("examples/pipeline/kernels.ptx"),
    };
    // SAFETY: this repository's own kernels.
    Ok(unsafe { Module::load_file(device, &path) }.map_err(|error| format!("{}: {error}", path.display()))?)
}

fn bar(title: &'static str, bytes: u64) -> Outcome<ProgressBar> {
    let style = ProgressStyle::with_template("{msg:16} {wide_bar} {bytes}/{total_bytes} {binary_bytes_per_sec}")?;
    Ok(ProgressBar::new(bytes).with_style(style).with_message(title))
}

fn sequential_pass(file: &File, length: u64) -> Outcome<Digest> {
    let bar = bar("sequential pass", length)?;
    let mut digest = Digest::default();
    let mut buffer = vec![0; 1 << 20];
    while digest.bytes() < length {
        let bytes = usize::try_from(length - digest.bytes()).map_or(buffer.len(), |rest| rest.min(buffer.len()));
        file.read_exact_at(&mut buffer[..bytes], digest.bytes())?;
        digest.update(&buffer[..bytes]);
        bar.inc(bytes as u64);
    }
    bar.finish();
    Ok(digest)
}

fn pipeline(options: &Options, file: &File, length: u64) -> Outcome<Digest> {
    let device = Device::new(0);
    let module = load_kernels(device, options.kernels.as_deref())?;
    let kernel = module.kernel("crc_and_histogram")?;
    let bar = bar("pipeline", length)?;
    let (next, result) = (AtomicU64::new(0), Mutex::new(Digest::of_zeros(length)));
    let chunk = options.chunk.min(usize::try_from(length)?);
    let lanes = options.streams.div_ceil(3);
    let work = |lane: usize| -> Outcome<()> {
        let streams = options.streams / lanes + usize::from(lane < options.streams % lanes);
        let mut lane = Lane::new(device, kernel, streams, chunk)?;
        loop {
            let offset = next.fetch_add(chunk as u64, Ordering::Relaxed);
            if offset >= length {
                return lane.finish(&result);
            }
            let bytes = usize::try_from(length - offset).map_or(chunk, |rest| rest.min(chunk));
            lane.process(file, offset, bytes, &result)?;
            bar.inc(bytes as u64);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..lanes).map(|lane| scope.spawn(move || work(lane))).collect();
        // Joins all threads, then reports the first failure.
        let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("a lane panicked")).collect();
        ends.into_iter().collect::<Outcome<()>>()
    })?;
    bar.finish();
    Ok(result.into_inner().expect("no lane panicked"))
}

fn run() -> Outcome<bool> {
    let options = parse(std::env::args().skip(1))?;
    let file = File::open(&options.file).map_err(|error| format!("{}: {error}", options.file.display()))?;
    let length = file.metadata()?.len();
    if length == 0 {
        return Err("the file is empty".into());
    }
    let expected = sequential_pass(&file, length)?;
    let start = Instant::now();
    let found = pipeline(&options, &file, length)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} streams on {}", options.streams, Device::new(0).info()?.name);
    println!("{:.3} s, {:.2} GB/s", seconds, length as f64 / seconds / 1e9);
    if found != expected {
        eprintln!("the result is wrong: CRC-32 {:08x}, wanted {:08x}", found.crc32(), expected.crc32());
        return Ok(false);
    }
    println!("CRC-32 {:08x} and histogram agree with a sequential pass over {length} bytes", found.crc32());
    Ok(true)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("pipeline: {error}");
            ExitCode::from(2)
        }
    }
}
