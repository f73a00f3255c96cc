# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the site and the pages for man that scripts/docs makes.
: "${root:?}" "${full:?}"

docs_steps() {
    step docs-site docs_site
    step docs-pictures docs_pictures
    step docs-fixtures docs_fixtures
}

docs_pictures() { find "$root/docs" -name '*.svg' -exec python3 -B "$root/tests/docs/check_rendered.py" {} +; }

docs_site() {
    "$root/scripts/docs"
    mandoc -T lint -W warning "$root"/build/docs/man/man3/*.3
    python3 -B "$root/tests/docs/check_site.py" "$root"
}

docs_fixtures() {
    "$root/.venv/bin/python" -B -m pytest -q -p no:cacheprovider "$root"/tests/docs/test_{site,rendered}.py --junitxml "$(junit_file)"
}
