# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the site and the pages for man that scripts/docs makes.
: "${root:?}" "${full:?}"

docs_steps() {
    step docs-site docs_site
    step docs-pictures docs_pictures
    step docs-fixtures docs_fixtures
}

docs_pictures() {
    local blank=$root/build/docs/blank.svg
    find "$root/docs" -name '*.svg' -exec python3 -B "$root/tests/docs/check_rendered.py" {} +
    mkdir -p "${blank%/*}"
    echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100"><rect width="90" height="90" x="5" y="5"/></svg>' >"$blank"
    if python3 -B "$root/tests/docs/check_rendered.py" "$blank"; then
        warn 'a picture of which three quarters are blank passed'
        return 1
    fi
}

docs_site() {
    "$root/scripts/docs"
    mandoc -T lint -W warning "$root"/build/docs/man/man3/*.3
    python3 -B "$root/tests/docs/check_site.py" "$root"
}

docs_fixtures() {
    "$root/.venv/bin/python" -B -m pytest -q -p no:cacheprovider "$root/tests/docs/test_site.py" --junitxml "$(junit_file)"
}
