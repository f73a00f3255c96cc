// SPDX-License-Identifier: Apache-2.0

package raw

// String is the status's name in C, such as GS_ERROR_INVALID_HANDLE.
func (s Status) String() string {
	if name := StatusName(s); name != "" {
		return name
	}
	return "GS_ERROR_UNAVAILABLE" // there is no library
}

// Error makes a status a target of errors.Is.
func (s Status) Error() string { return s.String() }
