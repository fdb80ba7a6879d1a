/**
 * The `_meta` keys of this project, and what stands under each. All share one prefix, as the specification asks
 * of everyone but itself (2025-11-25 and 2026-07-28, basic §`_meta`); whoever does not know them ignores them.
 */
export const metaPrefix = 'io.github.truename/'

/** On every listed tool, prompt, resource and template, and on results: whose it is, a {@link KeyMeta}. */
export const keyMeta = 'io.github.truename/key'

/** On `resources/read` results that passed a proxy: which server was read, when, a {@link ReadingMeta}. */
export const readingMeta = 'io.github.truename/reading'

/** On `tools/list` results of a proxy: what is held back and why, a list of {@link HeldMeta}. */
export const heldMeta = 'io.github.truename/held'

/**
 * On `resources/read` results of a server, and in the data of its errors (`data._meta`): how the URI was understood,
 * a `ReadTrace` of `@truename/template-matcher`.
 */
export const traceMeta = 'io.github.truename/trace'

/** On `resources/read` results, and on listed resources: the revision of the content, an opaque string. */
export const revisionMeta = 'io.github.truename/revision'

/** On results and in error data (`data._meta`) of a proxy that refused a request: why, a {@link RefusedMeta}. */
export const refusedMeta = 'io.github.truename/refused'

/**
 * On the acknowledgement of `subscriptions/listen`: resources that are left out of it and why, a list of
 * {@link UnwatchedMeta}, the first of them where there are many.
 */
export const unwatchedMeta = 'io.github.truename/unwatched'

/** A resource that cannot be subscribed to, with the error that a legacy client would be answered with. */
export type UnwatchedMeta = { readonly uri: string; readonly code: number; readonly message: string }

/** Identity: the configured server id and the server's own name; for a resource the exact URI or the template. */
export type KeyMeta = {
  readonly server: string
  readonly kind: 'tool' | 'prompt' | 'resource'
  readonly name: string
}

/** One reading through a proxy: the configured server id, the URI as sent upstream, the time (ISO 8601, UTC). */
export type ReadingMeta = { readonly server: string; readonly uri: string; readonly time: string }

/** One definition that is held back because it differs from what was approved. */
export type HeldMeta = {
  readonly server: string
  readonly kind: 'tool' | 'prompt' | 'resource'
  readonly name: string
  /** The member that moved, e.g. `description`, or a JSON pointer below it. */
  readonly field: string
  /** One line for a person; never the new text of the definition. */
  readonly message: string
}

/** A refusal by the gate or for a held definition: what was asked for was not sent to the server. */
export type RefusedMeta = {
  readonly server: string
  readonly kind: 'tool' | 'prompt' | 'resource'
  readonly name: string
  /** `held`: the definition moved; `policy`: a rule denies it; `approval`: nobody approved it. */
  readonly reason: 'held' | 'policy' | 'approval'
  /** One line for a person. */
  readonly message: string
}
