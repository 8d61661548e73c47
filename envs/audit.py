"""Known vulnerabilities of the packages in the lock, by pip-audit; says so where no data base can be reached."""

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parent / "requirements.lock"


def main() -> int:
    """Print what is known of each package; return 1 if there is a vulnerability, or the audit itself failed."""
    command = ["pip-audit", "--requirement", str(LOCK), "--no-deps", "--disable-pip", "--format", "json"]
    done = subprocess.run([*command, "--progress-spinner", "off"], capture_output=True, text=True)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(f"pip-audit: the packages were not audited: {done.stderr.strip().splitlines()[-1]}")
        return 1
    known = [package for package in packages if "skip_reason" not in package]
    found = [(package, vulnerability) for package in known for vulnerability in package["vulns"]]
    for package, one in found:
        print(f"{package['name']} {package['version']}: {one['id']}, fixed in {', '.join(one['fix_versions'])}")
    print(f"pip-audit: {len(found)} vulnerabilities in {len(known)} packages of the {len(packages)} in the lock")
    if not known:
        print("pip-audit: no data base of vulnerabilities answers here, so no package was audited")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
