// SPDX-License-Identifier: Apache-2.0
// As missing_waits.py, with the runtime in C++: missing_waits PATTERN right|wrong.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

constexpr int kSize = 1 << 16, kRounds = 12;

static void must(cudaError_t code, int line) {
    if (code == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorString(code));
    std::exit(9);
}
#define MUST(call) must(call, __LINE__)

__global__ void add(int *data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void copy(int *out, const int *in) { out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x]; }

static int *device_memory() {
    int *memory = nullptr;
    MUST(cudaMalloc(&memory, kSize * sizeof *memory));
    MUST(cudaMemset(memory, 0, kSize * sizeof *memory));
    MUST(cudaDeviceSynchronize());
    return memory;
}

static int last_of(const int *memory) {
    int value = 0;
    MUST(cudaMemcpy(&value, memory + kSize - 1, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// The event is of an earlier round: it is recorded again too late.
static int event_reused(bool right) {
    cudaStream_t one, two;
    cudaEvent_t event;
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    int *x = device_memory(), *out = device_memory();
    for (int i = 1; i <= kRounds; ++i) {
        add<<<kSize / 256, 256, 0, one>>>(x, 1);
        if (right) MUST(cudaEventRecord(event, one));
        MUST(cudaStreamWaitEvent(two, event, 0));
        if (!right) MUST(cudaEventRecord(event, one));
        usleep(1000);
        copy<<<kSize / 256, 256, 0, two>>>(out, x);
        MUST(cudaStreamSynchronize(two));
        MUST(cudaStreamSynchronize(one));
        if (last_of(out) != i) return 1;
    }
    return 0;
}

// A captured graph whose two branches are joined, but with the read ahead of the edge.
static int graph_edge(bool right) {
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    int *x = device_memory(), *out = device_memory(), *other = device_memory();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    MUST(cudaEventRecord(fork, one));
    MUST(cudaStreamWaitEvent(two, fork, 0));
    add<<<kSize / 256, 256, 0, one>>>(x, 1);
    if (right) {
        MUST(cudaEventRecord(fork, one));
        MUST(cudaStreamWaitEvent(two, fork, 0));
    }
    for (int i = 0; i < 20; ++i) add<<<kSize / 256, 256, 0, two>>>(other, 1); // takes longer than the other branch
    copy<<<kSize / 256, 256, 0, two>>>(out, x);
    MUST(cudaEventRecord(join, two));
    MUST(cudaStreamWaitEvent(one, join, 0));
    MUST(cudaStreamEndCapture(one, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 1; i <= kRounds; ++i) {
        MUST(cudaGraphLaunch(exec, one));
        MUST(cudaStreamSynchronize(one));
        if (last_of(out) != i) return 1;
    }
    return 0;
}

// Device 1 copies what device 0 makes.
static int two_devices(bool right) {
    cudaStream_t maker, taker;
    cudaEvent_t made;
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreateWithFlags(&taker, cudaStreamNonBlocking));
    int *out = device_memory();
    MUST(cudaSetDevice(0));
    MUST(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    int *x = device_memory();
    for (int i = 1; i <= kRounds; ++i) {
        MUST(cudaSetDevice(0));
        add<<<kSize / 256, 256, 0, maker>>>(x, 1);
        MUST(cudaEventRecord(made, maker));
        MUST(cudaSetDevice(1));
        if (right) MUST(cudaStreamWaitEvent(taker, made, 0));
        usleep(1000);
        MUST(cudaMemcpyPeerAsync(out, 1, x, 0, kSize * sizeof *x, taker));
        MUST(cudaStreamSynchronize(taker));
        MUST(cudaStreamSynchronize(maker));
        if (last_of(out) != i) return 1;
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count != 3) return 8;
    const bool right = std::strcmp(arguments[2], "right") == 0;
    if (std::strcmp(arguments[1], "event_reused") == 0) return event_reused(right);
    if (std::strcmp(arguments[1], "graph_edge") == 0) return graph_edge(right);
    if (std::strcmp(arguments[1], "two_devices") == 0) return two_devices(right);
    return 8;
}
