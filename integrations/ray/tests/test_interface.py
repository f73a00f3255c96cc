# SPDX-License-Identifier: Apache-2.0
"""What the guide says about Ray 2.60: why there is no accelerator context. If one of these fails, the reasons have changed."""
import inspect

import pytest
from ray.experimental.channel import accelerator_context, torch_tensor_accelerator_channel
from ray.experimental.channel.cpu_communicator import CPUCommunicator


def test_a_context_is_a_module_of_pytorch():
    with pytest.raises(ModuleNotFoundError, match="torch"):
        accelerator_context.register_accelerator_context("gpustream", CPUCommunicator)
    assert not accelerator_context.is_accelerator_context_registered()


def test_actors_get_the_name_and_the_communicator_only():
    sent = inspect.signature(torch_tensor_accelerator_channel.do_register_accelerator_context)
    assert list(sent.parameters) == ["self", "name", "communicator"]
    assert list(inspect.signature(accelerator_context.register_accelerator_context).parameters) == ["torch_module_name", "communicator_cls"]
