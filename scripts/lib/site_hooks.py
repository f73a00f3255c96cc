# SPDX-License-Identifier: Apache-2.0
"""MkDocs' hooks for the site of scripts/docs: its pages are README.md and all that can be reached from it by links, source
files and folders included, which become pages that show them. The navigation is that of docs/README.md."""
import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "bindings/python/src/gpustream"
LINK = re.compile(r"\]\(([^)\s#:]+)((?:#[^)\s]*)?)\)")
PICTURES = (".svg", ".png", ".gz")
FUNCTION = re.compile(r"(<a\b.*?</a>|<pre\b.*?</pre>)|<code>(gs_\w+)((?:\([^<]*\))?)</code>", re.S)
# Room for tables, in which no name is broken.
STYLE = ".md-grid{max-width:76rem}.md-typeset table:not([class]) code{word-break:normal;overflow-wrap:normal}"
MODULE = "# {name}\n\n::: {name}\n"


def target_of(page, link):
    """The path in the tree that a link of a page leads to, and as what the site has it; (None, link) if there is none."""
    path = PurePosixPath(os.path.normpath(PurePosixPath(page).parent / link))
    real = ROOT / path
    if real.is_dir():
        return str(path), f"{path}/README.md"
    if not real.is_file():
        return None, link
    return str(path), str(path) if path.suffix in (".md", *PICTURES) else f"{path}.md"


def shown(path):
    """The page for a folder without a README, or for a file that is no page."""
    real, top = ROOT / path, "---\nsearch:\n  exclude: true\n---\n\n"
    if real.is_dir():
        names = [one.name for one in sorted(real.iterdir()) if one.is_file()]
        return f"{top}# {path}\n\n" + "".join(f"- [{name}]({name})\n" if name.endswith(".md") else f"- {name}\n" for name in names)
    kind = {".h": "c", ".hpp": "cpp", ".inc": "cpp"}.get(real.suffix, real.suffix.lstrip(".") or "text")
    return f"{top}# {path}\n\n~~~~~~~~{kind}\n{real.read_text(encoding='utf-8')}\n~~~~~~~~\n"


def found_from(first):
    """{path on the site: text of the page, or a file} of all that links lead to."""
    found, waiting = {}, [(first, first)]
    while waiting:
        path, name = waiting.pop()
        if name in found:
            continue
        if name.endswith(PICTURES):
            found[name] = ROOT / path
            continue
        page = ROOT / name
        found[name] = page.read_text(encoding="utf-8") if page.is_file() else shown(path)
        if page.is_file() or (ROOT / path).is_dir():
            for link, _ in LINK.findall(found[name]):
                target = target_of(name, link)
                if target[0]:
                    waiting.append(target)
    return found


def python_pages():
    modules = sorted(one.stem for one in PYTHON.glob("*.py") if not one.stem.startswith("_"))
    return {f"docs/python/{name}.md": MODULE.format(name=name) for name in ("gpustream", *(f"gpustream.{one}" for one in modules))}


def listed(page, text):
    """The pages that a text of a page links to, each once, in their order."""
    names = [target_of(page, link)[1] for link, _ in LINK.findall(text)]
    return list(dict.fromkeys(name for name in names if name.endswith(".md")))


def navigation(pages):
    parts = re.split(r"^## (.*)$", pages["docs/README.md"], flags=re.M)[1:]
    nav = [{"Start": ["README.md", "docs/README.md"]}]
    for title, text in zip(parts[::2], parts[1::2]):
        names = listed("docs/README.md", text)
        if title == "Reference":
            names = [name for name in names if name.startswith("docs/reference")]
            names += listed("docs/reference/README.md", pages["docs/reference/README.md"])
            nav += [{title: [name for name in names if name in pages]}, {"Python": list(python_pages())}]
        else:
            nav.append({title.split(":")[0]: names})
    return nav


def on_files(files, config):
    pages = {**found_from("README.md"), **python_pages()}
    for name, content in {**pages, "site.css": STYLE}.items():
        how = {"content": content} if isinstance(content, str) else {"abs_src_path": str(content)}
        files.append(File.generated(config, name, **how))
    config.nav = navigation(pages)
    config.extra["functions"] = {one: name for name, text in pages.items() if name.startswith("docs/reference/")
                                 for one in re.findall(r"^## (gs_\w+)$", text, re.M)}
    return files


def on_page_markdown(markdown, page, config, files):
    """Links to source files and folders lead to their pages. The search shows the reference first."""
    if page.file.src_uri.startswith("docs/reference/"):
        page.meta["search"] = {"boost": 8}

    def link(found):
        path, name = target_of(page.file.src_uri, found[1])
        return found[0] if path is None else f"]({os.path.relpath(name, os.path.dirname(page.file.src_uri))}{found[2]})"

    return LINK.sub(link, markdown)


def on_page_content(html, page, config, files):
    """The name of a function in code is a link to its reference."""
    def link(found):
        target = config.extra["functions"].get(found[2])
        if target is None or target == page.file.src_uri:
            return found[0]
        address = files.get_file_from_path(target).url_relative_to(page.file)
        return f'<a href="{address}#{found[2]}"><code>{found[2]}{found[3]}</code></a>'

    return FUNCTION.sub(link, html)
