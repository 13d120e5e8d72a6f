# SPDX-License-Identifier: GPL-2.0-only
"""What zerobench has measured: stored runs, and what they say beside another."""

import json
import statistics

LIMIT = "MAP_ANONYMOUS"
BASELINE = "/dev/zero"
CONFIDENCE = 0.99
# A ratio that is nearer to 1 than this is nobody's business.
FLOOR = 0.01
NOISE = "inside the noise"
COUNTS = {
    "vmas": "VMAs left, per mapping",
    "slab_bytes": "bytes of slab, per mapping",
    "page_table_bytes": "bytes of page tables, per mapping",
    "rmap_locks": "i_mmap locks taken for writing, per mapping",
    "rmap_waits": "i_mmap locks waited for, per mapping",
    "rmap_hold_ns": "ns that an i_mmap lock is held",
}


class Bench:
    """One stored run: what was measured on one kernel."""

    def __init__(self, path):
        self.path = path
        self.about, self.machine = {}, {}
        self.runs, self.counts = {}, {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.take(json.loads(line))
        if not self.runs:
            raise ValueError("has no measurement in it")

    def take(self, record):
        """Adds a line; the rounds of several boots are put behind each other."""
        kind = record["kind"]
        if kind == "bench":
            self.about = record
            return
        self.machine = record
        if kind == "why":
            for key in COUNTS:
                self.counts.setdefault((key, record["backing"]), []).append(
                    record[key])
            return
        key = record["load"], record["tasks"], record["backing"]
        done = record["tasks"] * record["operations"]
        run = self.runs.setdefault(
            key, {"operation": record["operation"], "ns": []})
        run["ns"] += [ns / done for ns in record["ns"]]

    def tasks(self):
        """The number of tasks that most loads were run with."""
        return statistics.mode(tasks for _, tasks, _ in self.runs)

    def loads(self, tasks):
        """The loads that were run with that many tasks."""
        return list(dict.fromkeys(
            load for load, n, _ in self.runs if n == tasks))

    def backings(self):
        """All backings, in the order of the first load."""
        return list(dict.fromkeys(backing for _, _, backing in self.runs))

    def per_second(self, load, tasks, backing):
        """Operations a second of all tasks together, a number a round."""
        return [1e9 / ns for ns in self.runs[load, tasks, backing]["ns"]]

    def count(self, key, backing):
        """The median over the boots of a count, or None."""
        known = [n for n in self.counts.get((key, backing), [])
                 if n is not None]
        return statistics.median(known) if known else None

    def confidence(self):
        """That of the intervals: few rounds cannot give CONFIDENCE."""
        rounds = min(len(run["ns"]) for run in self.runs.values())
        return min(CONFIDENCE, 1 - 2 / 2 ** rounds)

    def title(self):
        """Kernel, machine and date, in words."""
        how = {"here": "on the machine itself", "vm": "in a virtual machine",
               "icount": "emulated, instructions counted"}[self.about["how"]]
        if self.about["how"] == "vm" and "TCG" in self.machine["cpu"]:
            how = "emulated"
        cpus = self.machine["cpus"]
        return (f"{self.machine['kernel']}, {cpus} CPU{'s' * (cpus > 1)} "
                f"({self.machine['cpu']}), {how}, {self.about['date']}")


def spread(values):
    """Half the distance between the quartiles, in percent of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / middle * 100


def ratio(bench, load, tasks, backing, to):
    """How fast beside another backing, from the rounds in pairs.

    Returns the median of the ratios and the bounds of its interval: those of
    the sorted ratios between which the true median lies with a probability of
    at least CONFIDENCE, or the outermost where there are too few.
    """
    ratios = sorted(
        theirs / ours for ours, theirs in zip(
            bench.runs[load, tasks, backing]["ns"],
            bench.runs[load, tasks, to]["ns"]))
    n, outside, chosen, skip = len(ratios), 0.0, 1.0, 0
    # Of n fair coins, as many heads: the binomial distribution.
    for k in range(n // 2):
        outside += 2 * chosen / 2 ** n
        if outside > 1 - CONFIDENCE:
            break
        skip, chosen = k, chosen * (n - k) / (k + 1)
    return statistics.median(ratios), ratios[skip], ratios[n - 1 - skip]


def verdict(middle, low, high):
    """What a ratio and its interval say."""
    if low <= 1 <= high or abs(middle - 1) < FLOOR:
        return NOISE
    return "faster" if middle > 1 else "slower"
