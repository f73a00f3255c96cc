# SPDX-License-Identifier: Apache-2.0
"""check_rendered.py: accepts a picture that can be read, and names what is wrong with others."""

import unittest

import check_rendered

RIGHT = ('<rect width="100%" height="100%" fill="#fff"/><rect x="5" y="5" width="190" height="40" fill="#4e79a7"/>'
         '<rect x="205" y="55" width="190" height="40" fill="#f28e2b"/><text x="10" y="20" fill="#fff">inside</text>'
         '<text x="205" y="40">beside</text><line x1="220" x2="220" y1="0" y2="100" stroke="#000"/>')


def defects(body):
    return check_rendered.defects(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100" font-size="12">{body}</svg>'.encode())


class Rendered(unittest.TestCase):
    def test_one_that_can_be_read(self):
        self.assertEqual(defects(RIGHT), [])

    def test_what_is_wrong_is_named(self):
        for body, wanted in ((RIGHT + '<text x="380" y="20">to the right</text>', "'to the right' leaves the picture"),
                             (RIGHT + '<text x="5" y="99">gypsy</text>', "'gypsy' leaves the picture"),
                             (RIGHT + '<text x="180" y="30">over the end</text>', "'over the end' has more than one colour behind it"),
                             (RIGHT + '<text x="230" y="42">another</text>', "'another' and 'beside' overlap"),
                             (RIGHT + '<text x="230" y="20" fill-opacity="0">none</text>', "'none' is not to be seen"),
                             ('<rect x="5" y="5" width="90" height="90"/>', "its width is drawn on less than three quarters"),
                             (RIGHT.split("<text")[0].replace('y="55"', 'y="1"'), "its height is drawn on less than three quarters"),
                             ('<rect x="5" y="5" width="9" height="9"/><rect x="380" y="80" width="9" height="9"/>', "its width has something in 2 of 20 parts")):
            with self.subTest(wanted):
                self.assertIn(wanted, defects(body))

    def test_what_is_no_picture(self):
        with self.assertRaises(check_rendered.Unreadable):
            check_rendered.defects(b"<svg")


if __name__ == "__main__":
    unittest.main()
