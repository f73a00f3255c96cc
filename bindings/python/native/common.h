/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the extension includes first. */
#ifndef GPUSTREAM_PYTHON_COMMON_H
#define GPUSTREAM_PYTHON_COMMON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <gpustream.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define GS_PY_LIKELY(x) __builtin_expect(!!(x), 1)
#define GS_PY_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* On declarations of variables: the compiler then knows that they need no global offset table. */
#define GS_PY_HIDDEN __attribute__((visibility("hidden")))
#define GS_PY_COLD __attribute__((cold))
/* Keeps the address of a thread-local variable, which the compiler else asks for again after every call. */
#define GS_PY_KEEP_ADDRESS(pointer) __asm__("" : "+r"(pointer))
#else
#define GS_PY_LIKELY(x) (x)
#define GS_PY_UNLIKELY(x) (x)
#define GS_PY_HIDDEN
#define GS_PY_COLD
#define GS_PY_KEEP_ADDRESS(pointer) (void)(pointer)
#endif

/* A METH_FASTCALL function as PyMethodDef wants it. */
#define GS_PY_FAST(function) ((PyCFunction)(void (*)(void))(function))

#endif
