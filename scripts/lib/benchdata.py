# SPDX-License-Identifier: GPL-2.0-only
"""Reads stored runs of zerobench, and compares what they measured."""

import json
import statistics

LIMIT = "MAP_ANONYMOUS"
BASELINE = "/dev/zero"
CONFIDENCE = 0.99
# A ratio that is nearer to 1 than this is taken for noise.
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
    """A stored run: what was measured on one kernel."""

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
        """Adds a line. The rounds of a later boot are added to those of the first."""
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
        """Returns the number of tasks with which most loads were run."""
        return statistics.mode(tasks for _, tasks, _ in self.runs)

    def loads(self, tasks):
        """Returns the loads that were run with that many tasks."""
        return list(dict.fromkeys(
            load for load, n, _ in self.runs if n == tasks))

    def backings(self):
        """Returns all backings, in the order of the first load."""
        return list(dict.fromkeys(backing for _, _, backing in self.runs))

    def per_second(self, load, tasks, backing):
        """Returns for each round the operations a second of all tasks together."""
        return [1e9 / ns for ns in self.runs[load, tasks, backing]["ns"]]

    def count(self, key, backing):
        """Returns the median of a count over the boots, or None."""
        known = [n for n in self.counts.get((key, backing), [])
                 if n is not None]
        return statistics.median(known) if known else None

    def confidence(self):
        """Returns the confidence of the intervals, which few rounds make less."""
        rounds = min(len(run["ns"]) for run in self.runs.values())
        return min(CONFIDENCE, 1 - 2 / 2 ** rounds)

    def title(self):
        """Returns the kernel, the machine and the date in words."""
        how = {"here": "on the machine itself", "vm": "in a virtual machine",
               "icount": "emulated, instructions counted"}[self.about["how"]]
        if self.about["how"] == "vm" and "TCG" in self.machine["cpu"]:
            how = "emulated"
        cpus = self.machine["cpus"]
        return (f"{self.machine['kernel']}, {cpus} CPU{'s' * (cpus > 1)} "
                f"({self.machine['cpu']}), {how}, {self.about['date']}")


def spread(values):
    """Returns half the distance of the quartiles, in percent of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / middle * 100


def ratio(bench, load, tasks, backing, to):
    """Compares the speed with that of another backing, round by round.

    Returns the median of the ratios and the bounds of its interval: those of
    the sorted ratios between which the true median lies with a probability of
    at least CONFIDENCE, or the outermost where there are too few.
    """
    ratios = sorted(
        theirs / ours for ours, theirs in zip(
            bench.runs[load, tasks, backing]["ns"],
            bench.runs[load, tasks, to]["ns"]))
    n, outside, chosen, skip = len(ratios), 0.0, 1.0, 0
    # The binomial distribution: of n fair coins, so many fall on heads.
    for k in range(n // 2):
        outside += 2 * chosen / 2 ** n
        if outside > 1 - CONFIDENCE:
            break
        skip, chosen = k, chosen * (n - k) / (k + 1)
    return statistics.median(ratios), ratios[skip], ratios[n - 1 - skip]


def verdict(middle, low, high):
    """Returns in words what a ratio and its interval say."""
    if low <= 1 <= high or abs(middle - 1) < FLOOR:
        return NOISE
    return "faster" if middle > 1 else "slower"
