/** Counts by server what is dropped of what servers send. */
export interface DropCount {
  add(server: string): void
  counts(): ReadonlyMap<string, number>
}

/** Says so for the first, the tenth, the hundredth …: a server that sends many does not fill the log with them. */
export function createDropCount(
  onEvent: (level: 'warn', server: string, message: string) => void,
): DropCount {
  const counts = new Map<string, number>()
  return {
    add(server) {
      const count = (counts.get(server) ?? 0) + 1
      counts.set(server, count)
      if (!/^10*$/.test(String(count))) return
      onEvent('warn', server, `Updates of resources that nobody subscribed to are dropped (${count} so far)`)
    },
    counts: () => counts,
  }
}
