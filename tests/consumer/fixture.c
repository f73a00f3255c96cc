/* SPDX-License-Identifier: Apache-2.0 */
/* The one function of the libraries that are linked wrongly on purpose. */
int gpustream_link_fixture(void);
int gpustream_link_fixture(void) { return 0; }
