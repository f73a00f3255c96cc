// SPDX-License-Identifier: Apache-2.0
//! Finds or builds the C library. Of several features `bundled` takes precedence, then `link`, then `dlopen`, which
//! needs nothing here.
//!
//! Passes to dependents, as `DEP_GPUSTREAM_*`: `INCLUDE`, the folder of gpustream.h, and `LIB`, the folder of the
//! library if it is known.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(gpustream_linked, gpustream_opened)");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let wanted = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    // docs.rs lacks a C++ compiler and the library, and runs no program.
    let documentation = env::var_os("DOCS_RS").is_some();
    if wanted("BUNDLED") && !documentation {
        println!("cargo::rustc-cfg=gpustream_opened");
        bundled::build(&manifest.join("core"));
    } else if wanted("LINK") && !documentation {
        println!("cargo::rustc-cfg=gpustream_linked");
        link::find();
    } else {
        if wanted("DLOPEN") {
            println!("cargo::rustc-cfg=gpustream_opened");
        }
        tell("include", &manifest.join("core/include"));
    }
}

fn tell(key: &str, folder: &Path) {
    println!("cargo::metadata={key}={}", folder.display());
}

#[cfg(feature = "bundled")]
mod bundled {
    use super::{Path, env, tell};

    /// Settings of the core's build that the environment may override, and their defaults.
    const PASSED: [(&str, &str); 2] = [("GPUSTREAM_CUDA", "ON"), ("GPUSTREAM_CUDA_INCLUDE_DIR", "")];

    fn on_path(program: &str) -> bool {
        env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
    }

    pub(super) fn build(core: &Path) {
        for name in ["CMakeLists.txt", "cmake", "include", "src"] {
            println!("cargo::rerun-if-changed={}", core.join(name).display());
        }
        let mut config = cmake::Config::new(core);
        config
            // Optimised in every profile: the library is timing-sensitive and has its own tests.
            .profile("Release")
            .define("GPUSTREAM_BUILD_TESTS", "OFF")
            .define("GPUSTREAM_BUILD_EXAMPLES", "OFF")
            .define("GPUSTREAM_BUILD_TOOLS", "OFF")
            .define("GPUSTREAM_INSTALL", "ON")
            .define("CMAKE_INSTALL_LIBDIR", "lib");
        for (name, default) in PASSED {
            println!("cargo::rerun-if-env-changed={name}");
            // Always passed: CMake would keep the value of an earlier build.
            config.define(name, env::var_os(name).unwrap_or_else(|| default.into()));
        }
        println!("cargo::rerun-if-env-changed=CMAKE_GENERATOR");
        // CMake's default is make, which a machine that builds with Ninja may lack.
        if env::var_os("CMAKE_GENERATOR").is_none() && !on_path("make") && on_path("ninja") {
            config.generator("Ninja");
        }
        let prefix = config.build();
        let library = prefix.join("lib/libgpustream.so.0");
        println!("cargo::rustc-env=GPUSTREAM_BUNDLED_LIBRARY={}", library.display());
        tell("include", &prefix.join("include"));
        tell("lib", &prefix.join("lib"));
    }
}

#[cfg(not(feature = "bundled"))]
mod bundled {
    pub(super) fn build(_: &super::Path) {
        unreachable!("cargo sets CARGO_FEATURE_BUNDLED and the feature together");
    }
}

#[cfg(feature = "link")]
mod link {
    use super::{Path, PathBuf, env, tell};

    pub(super) fn find() {
        println!("cargo::rerun-if-env-changed=GPUSTREAM_LIB_DIR");
        let missing = match pkg_config::Config::new().atleast_version("0.1").probe("gpustream") {
            Ok(library) => {
                for folder in &library.include_paths {
                    tell("include", folder);
                }
                for folder in &library.link_paths {
                    tell("lib", folder);
                }
                return;
            }
            Err(error) => error,
        };
        match env::var_os("GPUSTREAM_LIB_DIR").map(PathBuf::from) {
            Some(folder) if folder.join("libgpustream.so").is_file() => from_folder(&folder),
            Some(folder) => fail(&format!("GPUSTREAM_LIB_DIR={}: there is no libgpustream.so in it", folder.display())),
            None => fail(&format!(
                "the feature \"link\" needs libgpustream: pkg-config does not find it and GPUSTREAM_LIB_DIR is not set. {}",
                missing.to_string().trim().replace('\n', " ")
            )),
        }
    }

    fn from_folder(folder: &Path) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=dylib=gpustream");
        tell("lib", folder);
        let include = folder.join("../include");
        if include.join("gpustream.h").is_file() {
            tell("include", &include);
        }
    }

    fn fail(text: &str) {
        println!("cargo::error={text}");
    }
}

#[cfg(not(feature = "link"))]
mod link {
    pub(super) fn find() {
        unreachable!("cargo sets CARGO_FEATURE_LINK and the feature together");
    }
}
