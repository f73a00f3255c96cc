# SPDX-License-Identifier: Apache-2.0
"""What the poms of the Java binding state about the packages, as Maven would publish it.

A module takes licence, author and addresses from its parent. Maven appends the module's name to an inherited address,
unless the parent switches this off by an attribute: then a published module has the parent's address itself.
"""

import re
import xml.etree.ElementTree as ElementTree

POM = "{http://maven.apache.org/POM/4.0.0}"
PARENT = "bindings/java/pom.xml"
ADDRESSES = {"homepage": ("url", "child.project.url.inherit.append.path", "."),
             "repository": ("scm/url", "child.scm.url.inherit.append.path", "scm"),
             "scm connection": ("scm/connection", "child.scm.connection.inherit.append.path", "scm")}


def _path(path):
    return "/".join(part if part == "." else POM + part for part in path.split("/"))


def _addresses(project):
    """Field to address; the text says so where modules would inherit another address."""
    found = {}
    for field, (path, switch, holder) in ADDRESSES.items():
        value, element = project.findtext(_path(path)), project.find(_path(holder))
        kept = element is not None and element.get(switch) == "false"
        found[field] = value if value is None or kept else f"{value}/MODULE, since {switch} is not false"
    return found


def _module_poms(project):
    """The poms of the modules, those of profiles included."""
    return [f"bindings/java/{module.text}/pom.xml" for module in project.iter(POM + "module")]


def java_packages(root):
    """Pom to fields. The parent has all of them; a module its version, name and description, and what it overrides."""
    project = ElementTree.parse(root / PARENT).getroot()
    packages = {PARENT: {"version": project.findtext(_path("version")), "licence": project.findtext(_path("licenses/license/name")),
                         "author": project.findtext(_path("developers/developer/name")),
                         "description": project.findtext(_path("description")), "name": project.findtext(_path("name")),
                         "issues": project.findtext(_path("issueManagement/url"))} | _addresses(project)}
    for name in _module_poms(project):
        path = re.sub(r"bindings/java/\.\./\.\./", "", name)
        module = ElementTree.parse(root / path).getroot()
        fields = {"version": module.findtext(_path("parent/version")), "name": module.findtext(_path("name")),
                  "description": module.findtext(_path("description"))}
        overridden = {"licence": "licenses/license/name", "author": "developers/developer/name", "homepage": "url",
                      "repository": "scm/url", "scm connection": "scm/connection", "issues": "issueManagement/url"}
        fields |= {field: module.findtext(_path(tag)) for field, tag in overridden.items() if module.find(_path(tag)) is not None}
        packages[path] = fields
    return packages
