# SPDX-License-Identifier: Apache-2.0
import types


class _Config:
    active = None

    def set_active(self, driver):
        for name in ("utils", "launcher_cls", "get_device_capability", "get_current_stream", "get_current_device", "set_current_device"):
            assert getattr(driver, name) is not None
        self.active = driver


runtime = types.SimpleNamespace(driver=_Config())
