// SPDX-License-Identifier: Apache-2.0
// The steps of a scenario of the allocation-failure test. Its variable `failure` has the outcome.
#pragma once

// The first failure of a chain of calls; the calls after it are skipped.
#define STEP(function, ...)                                                                                            \
    if (failure.status == GS_OK || failure.status == GS_NOT_READY) failure = {function(__VA_ARGS__), #function}
// Releasing an existing object never fails for lack of memory.
#define GIVE_BACK(function, object)                                                                                    \
    if (object)                                                                                                        \
        if (const gs_status_t status = function(object); status != GS_OK)                                              \
    failure = {status, #function " (giving "                                                                           \
                                 "back)"}
