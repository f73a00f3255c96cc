// SPDX-License-Identifier: Apache-2.0
//! The header's numbers. One list, from which the header check is made as well.

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $ty = $value;)*
    };
}

/// Calls a macro with the list of constants: `NAME: type = value;`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_constant {
    ($then:path) => {
        $then! {
            /// Major version of the header these declarations follow.
            GS_VERSION_MAJOR: u32 = 0;
            /// Minor version.
            GS_VERSION_MINOR: u32 = 1;
            /// Patch level.
            GS_VERSION_PATCH: u32 = 0;
            /// What `gs_abi_version` must answer.
            GS_ABI_VERSION: u32 = 1;

            /// Success.
            GS_OK: i32 = 0;
            /// The work is not done yet; no error.
            GS_NOT_READY: i32 = 1;
            /// An argument is null, out of its range, malformed, or an unknown flag.
            GS_ERROR_INVALID_ARGUMENT: i32 = 10;
            /// The handle is null, destroyed, of another kind, or never was one.
            GS_ERROR_INVALID_HANDLE: i32 = 11;
            /// There is no such device.
            GS_ERROR_INVALID_DEVICE: i32 = 12;
            /// The objects belong to different devices and the operation needs one.
            GS_ERROR_DEVICE_MISMATCH: i32 = 13;
            /// The scope is not this thread's, or not its innermost.
            GS_ERROR_SCOPE: i32 = 14;
            /// The event was never recorded.
            GS_ERROR_NOT_RECORDED: i32 = 20;
            /// The event was created without `GS_EVENT_TIMING`.
            GS_ERROR_TIMING_DISABLED: i32 = 21;
            /// The call is not permitted in a host function or a notification.
            GS_ERROR_NOT_PERMITTED: i32 = 22;
            /// A graph capture would be broken by the call; it is left intact, unless an event recorded in it was asked for.
            GS_ERROR_CAPTURING: i32 = 23;
            /// A time limit passed.
            GS_ERROR_TIMEOUT: i32 = 24;
            /// The backend cannot be used on this machine; `GS_REASON_*` says why.
            GS_ERROR_UNAVAILABLE: i32 = 30;
            /// The process was forked after a backend had been started.
            GS_ERROR_BAD_FORK: i32 = 31;
            /// The device was reset by another library.
            GS_ERROR_CONTEXT_LOST: i32 = 32;
            /// The backend, driver or device does not offer this.
            GS_ERROR_NOT_SUPPORTED: i32 = 33;
            /// The driver has shut down because the process exits.
            GS_ERROR_SHUTDOWN: i32 = 34;
            /// The other process of an interprocess event is gone.
            GS_ERROR_PEER_LOST: i32 = 35;
            /// Host or device memory, or the table of handles, is exhausted.
            GS_ERROR_OUT_OF_MEMORY: i32 = 40;
            /// A system call failed.
            GS_ERROR_SYSTEM: i32 = 41;
            /// A driver call failed.
            GS_ERROR_DRIVER: i32 = 50;
            /// An earlier error left the device unusable in this process.
            GS_ERROR_STICKY: i32 = 51;
            /// A synchronizing call was made in sync debug mode "error".
            GS_ERROR_SYNC_FORBIDDEN: i32 = 60;
            /// A defect of gpustream.
            GS_ERROR_INTERNAL: i32 = 99;

            /// No reason applies.
            GS_REASON_NONE: i32 = 0;
            /// The driver library was not found or could not be loaded.
            GS_REASON_NO_LIBRARY: i32 = 1;
            /// The library found is the toolkit's link-time stub.
            GS_REASON_STUB: i32 = 2;
            /// The driver is older than gpustream needs.
            GS_REASON_TOO_OLD: i32 = 3;
            /// The driver lacks a function that gpustream needs.
            GS_REASON_NO_SYMBOL: i32 = 4;
            /// The driver works but offers no device.
            GS_REASON_NO_DEVICE: i32 = 5;

            /// The backend that plain device ordinals mean.
            GS_BACKEND_DEFAULT: i32 = 0;
            /// CPU threads with the semantics of CUDA.
            GS_BACKEND_HOST: i32 = 1;
            /// NVIDIA GPUs.
            GS_BACKEND_CUDA: i32 = 2;
            /// AMD GPUs; reserved.
            GS_BACKEND_HIP: i32 = 3;

            /// The calling thread's current device.
            GS_DEVICE_CURRENT: i32 = -1;
            /// No device.
            GS_DEVICE_NONE: i32 = -2;

            /// Stream flag: joins the implicit order of the device's default stream.
            GS_STREAM_BLOCKING: u32 = 1;
            /// Stream flag: from a pool, others may use the same one.
            GS_STREAM_SHARED: u32 = 2;
            /// Stream flag: a driver stream of its own that is really destroyed.
            GS_STREAM_DEDICATED: u32 = 4;

            /// Event flag: takes a time stamp.
            GS_EVENT_TIMING: u32 = 1;
            /// Event flag: synchronizing sleeps instead of spinning.
            GS_EVENT_BLOCKING: u32 = 2;
            /// Event flag: can be exported to other processes.
            GS_EVENT_INTERPROCESS: u32 = 4;
            /// Event flag: a node of its own in a stream capture.
            GS_EVENT_EXTERNAL: u32 = 8;

            /// Synchronizing calls are silent.
            GS_SYNC_DEBUG_DEFAULT: i32 = 0;
            /// Synchronizing calls log a warning.
            GS_SYNC_DEBUG_WARN: i32 = 1;
            /// Synchronizing calls fail and wait for nothing.
            GS_SYNC_DEBUG_ERROR: i32 = 2;
            /// `gs_stream_synchronize` only.
            GS_SYNC_SCOPE_TORCH: i32 = 0;
            /// Every call that waits for device work.
            GS_SYNC_SCOPE_ALL: i32 = 1;

            /// A failure that had no caller to be returned to.
            GS_LOG_ERROR: i32 = 1;
            /// Something works otherwise than probably meant.
            GS_LOG_WARNING: i32 = 2;
            /// For the curious.
            GS_LOG_INFO: i32 = 3;

            /// Backends may be used in this process.
            GS_FORK_CLEAN: i32 = 0;
            /// Forked from a process that had started a backend.
            GS_FORK_CHILD_OF_INITIALIZED: i32 = 1;
        }
    };
}

for_each_constant!(define);
