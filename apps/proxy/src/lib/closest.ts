/** How many single characters have to be put in, taken out or replaced to make one text the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, a] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, b] of [...to].entries()) {
      next.push(Math.min((row[j] ?? 0) + (a === b ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The known name that was probably meant: at most two characters away, and no more than half of it. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => [editDistance(name.toLowerCase(), candidate.toLowerCase()), candidate] as const)
    .sort(([a], [b]) => a - b)
  return best && best[0] <= 2 && best[0] <= best[1].length / 2 ? best[1] : undefined
}
