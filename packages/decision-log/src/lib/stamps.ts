import { utf8 } from './bytes.ts'
import { DecisionLogError } from './errors.ts'
import { putUuidv7, uuidv7 } from './ids.ts'
import { type Outbox, put, putBytes } from './outbox.ts'
import { escapeHidden } from './prepare.ts'
import { schemaVersion } from './record.ts'

/** What a log says of a record: its id, and when it came. */
export interface Stamp {
  readonly id: string
  /** RFC 3339, UTC, milliseconds. Never before the time of the last one, even where the clock is set back. */
  readonly time: string
}

export interface Stamps {
  /** Writes the beginning of a record, up to a comma. */
  put(outbox: Outbox): Stamp
  /** Another id at the time of the last stamp. */
  id(): string
}

const beforeId = `"schema":${schemaVersion},"id":`
const beforeUuid = utf8(`${beforeId}"`)

function checkedId(id: unknown): string {
  if (typeof id === 'string') return id
  throw new DecisionLogError(
    'bad-option',
    `The id of a record is a text, and \`ids\` gave a value of type ${typeof id}.`,
  )
}

export function createStamps(clock: () => number, ids: (() => string) | undefined): Stamps {
  const own = ids && (() => checkedId(ids()))
  let last = 0
  let time = new Date(0).toISOString()
  let afterUuid = utf8(`","time":"${time}",`)
  return {
    put(outbox) {
      const now = Math.floor(clock())
      if (now > last) {
        time = new Date(now).toISOString()
        last = now
        afterUuid = utf8(`","time":"${time}",`)
      }
      if (own) {
        const id = own()
        put(outbox, `${beforeId}${escapeHidden(JSON.stringify(id))},"time":"${time}",`)
        return { id, time }
      }
      putBytes(outbox, beforeUuid)
      const id = putUuidv7(outbox, last)
      putBytes(outbox, afterUuid)
      return { id, time }
    },
    id: own ?? (() => uuidv7(last)),
  }
}
