import { type JsonPath, pointerOf } from './pointer.ts'

interface Frame {
  /** The names seen so far; undefined in an array. */
  readonly names: Set<string> | undefined
  /** The member or element that is being read. */
  at: string | number
}

/**
 * Finds the first object of a JSON text that repeats a member name, and says where, as a JSON Pointer to the
 * member. Names are compared after unescaping. The text must be valid JSON (`JSON.parse` has accepted it).
 */
export function findRepeatedMember(json: string): string | undefined {
  const frames: Frame[] = []
  let expectsName = false
  for (let index = 0; index < json.length; index += 1) {
    const frame = frames.at(-1)
    switch (json.charCodeAt(index)) {
      case 0x7b: // {
        frames.push({ names: new Set(), at: '' })
        expectsName = true
        break
      case 0x5b: // [
        frames.push({ names: undefined, at: 0 })
        expectsName = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        frames.pop()
        expectsName = false
        break
      case 0x2c: // ,
        if (frame?.names) expectsName = true
        else if (frame) frame.at = (frame.at as number) + 1
        break
      case 0x22: {
        const end = endOfString(json, index)
        if (expectsName && frame?.names) {
          const name = JSON.parse(json.slice(index, end + 1)) as string
          frame.at = name
          if (frame.names.has(name)) return pointerOf(pathOf(frames))
          frame.names.add(name)
          expectsName = false
        }
        index = end
        break
      }
    }
  }
  return undefined
}

/** Whether some object of a valid JSON text repeats a member name. */
export const hasRepeatedMember = (json: string): boolean => findRepeatedMember(json) !== undefined

const pathOf = (frames: readonly Frame[]): JsonPath => frames.map((frame) => frame.at)

function endOfString(json: string, start: number): number {
  let end = start + 1
  for (;;) {
    const unit = json.charCodeAt(end)
    if (unit === 0x22) return end
    end += unit === 0x5c ? 2 : 1
  }
}
