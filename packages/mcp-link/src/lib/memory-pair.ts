import type { WireMessage } from './message.ts'
import type { Transport } from './transport.ts'

/**
 * Two transports joined in memory: what one sends the other receives, as a JSON copy, in order and not before the
 * sender's turn is over. For tests, and for a service and its client in one process.
 */
export function createMemoryPair(): readonly [Transport, Transport] {
  const make = (): Transport & { other?: Transport; open: boolean } => {
    const self: Transport & { other?: Transport; open: boolean } = {
      open: false,
      start: async () => {
        self.open = true
      },
      send: async (message: WireMessage) => {
        if (!self.open) throw new Error('the transport is not open')
        const copy: unknown = JSON.parse(JSON.stringify(message))
        queueMicrotask(() => self.other?.onmessage?.(copy as never))
      },
      close: async () => {
        if (!self.open) return
        self.open = false
        self.onclose?.()
        await self.other?.close()
      },
    }
    return self
  }
  const [a, b] = [make(), make()]
  a.other = b
  b.other = a
  return [a, b]
}
