/** Why a command could not do its work. */
export type CommandErrorCode =
  | 'settings-invalid'
  | 'policy-missing'
  | 'config-starts-itself'
  | 'lock-missing'
  | 'lock-invalid'
  | 'lock-newer'
  | 'lock-refused'
  | 'server-unreachable'
  | 'log-unwritable'
  | 'file-unreadable'
  | 'unexpected-surface'
  | 'bad-argument'

/** One clear line: what is wrong, where, and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  readonly where: string
  readonly remedy: string

  constructor(
    code: CommandErrorCode,
    { what, where, remedy }: { what: string; where: string; remedy: string },
  ) {
    super(`${where}: ${what}. ${remedy}`)
    this.code = code
    this.where = where
    this.remedy = remedy
  }
}
