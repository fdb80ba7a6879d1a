import type { Comparison, Standing } from './compare.ts'

/** A Markdown table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join(
    '\n',
  )
}

/** Operations a second, as people write them. */
export function perSecond(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(value >= 1e7 ? 1 : 2)} M/s`
  return value >= 1e3 ? `${(value / 1e3).toFixed(value >= 1e5 ? 0 : 1)} k/s` : `${value.toFixed(0)} /s`
}

/** How many times as fast ours is, with two digits that mean something. */
export const times = (ratio: number): string => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)}×`

const rightOf = ({ standings }: Comparison) =>
  standings.filter((standing): standing is Extract<Standing, { right: true }> => standing.right)

/** The fastest of those who answer rightly, without ours. */
export function fastestPeer(comparison: Comparison): Extract<Standing, { right: true }> | undefined {
  return rightOf(comparison)
    .filter(({ ours }) => !ours)
    .sort((a, b) => b.relative - a.relative)[0]
}

/**
 * One line per contest: our speed, the fastest right peer, and how many times as fast ours is. Less than `wanted` is
 * called a loss, or noise where the middle half of the rounds reaches it.
 */
export function summaryTable(comparisons: readonly Comparison[], wanted = 1): string {
  const rows = comparisons.map((comparison) => {
    const ours = rightOf(comparison).find((standing) => standing.ours)
    const peer = fastestPeer(comparison)
    const wrong = comparison.standings.filter(({ right }) => !right).length
    if (ours === undefined) return [comparison.name, 'wrong', peer?.name ?? '-', '-', '-', '-', '-']
    if (peer === undefined)
      return [
        comparison.name,
        perSecond(ours.perSecond),
        'none is right',
        '-',
        '-',
        '-',
        `${wrong} of ${wrong}`,
      ]
    const ratio = 1 / peer.relative
    const isTie = ratio < wanted && 1 / peer.spread[0] >= wanted
    const verdict =
      ratio >= wanted
        ? times(ratio)
        : isTie
          ? `${times(ratio)} (within the noise)`
          : `**${times(ratio)}** (a loss)`
    return [
      comparison.name,
      perSecond(ours.perSecond),
      peer.name,
      perSecond(peer.perSecond),
      verdict,
      `${times(1 / peer.spread[1])} to ${times(1 / peer.spread[0])}`,
      `${wrong} of ${comparison.standings.length - 1}`,
    ]
  })
  return table(
    ['', 'ours', 'fastest right peer', 'its speed', 'ratio', 'middle half of rounds', 'peers that are wrong'],
    rows,
  )
}

/** One line per peer, one column per contest: how many times as fast ours is, or that the peer's answer is wrong. */
export function matrixTable(comparisons: readonly Comparison[]): string {
  const names = [
    ...new Set(
      comparisons.flatMap(({ standings }) => standings.filter(({ ours }) => !ours).map(({ name }) => name)),
    ),
  ]
  const rows = names.map((name) => [
    name,
    ...comparisons.map(({ standings }) => {
      const standing = standings.find((each) => each.name === name)
      if (standing === undefined) return ''
      return standing.right ? times(1 / standing.relative) : 'wrong'
    }),
  ])
  return table(['ours against', ...comparisons.map(({ name }) => name)], rows)
}
