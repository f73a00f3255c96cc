// SPDX-License-Identifier: Apache-2.0
//! Kinds of nodes and conditions, flags of executables, reasons of refused updates.

use gpustream_sys as sys;

use crate::numbers::{closed, flags, open};

sys::for_each_node_kind! {
    open,
    /// What a node of a graph does.
    NodeKind
}

sys::for_each_condition_kind! {
    closed,
    /// What a conditional node does with its bodies.
    ConditionKind
}

sys::for_each_instantiate_flag! {
    flags,
    /// How an executable graph runs.
    InstantiateFlags
}

sys::for_each_update_reason! {
    open,
    /// Why an executable graph cannot take over another graph.
    UpdateReason
}
