import { CommandError } from './command-error.ts'

/** The exit code of a command that could not do its work. */
export const failed = 2

/** Prints a failure as one clear line where it is one of ours, whole where it is a fault of this program. */
export function reportFailure(error: unknown): number {
  const coded = error instanceof Error && typeof (error as { code?: unknown }).code === 'string'
  if (error instanceof CommandError || coded) console.error((error as Error).message)
  else console.error(error)
  return failed
}
