import type { JsonObject } from './json.ts'
import type { Progress } from './port.ts'

/** The step in the params of a `notifications/progress`; `undefined` where it holds no number. */
export function toProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params
  if (typeof progress !== 'number') return undefined
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
}

/** The params of a `notifications/progress` for a step, under the token its receiver gave. */
export function fromProgress(step: Progress, progressToken: string | number): JsonObject {
  const { progress, total, message } = step
  return {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  }
}
