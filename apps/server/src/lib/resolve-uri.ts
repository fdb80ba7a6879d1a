import {
  addStep,
  beginTrace,
  createTemplateSet,
  guardPath,
  locateStep,
  MatchLimitError,
  noMatchStep,
  type ReadTrace,
  type SetMatch,
  type TemplateSet,
} from '@truename/template-matcher'
import type { DocumentSnapshot } from './document-store.ts'
import { catalogTemplate, treeTemplate } from './document-uri.ts'
import type { FolderFile } from './folder-index.ts'

interface Reading {
  /** The steps match, decode and locate, as far as they got. */
  readonly trace: ReadTrace
}

interface Refused extends Reading {
  /** Why the last step failed, in at most three lines. */
  readonly why: readonly string[]
}

/** What a URI was found to be: the file it names, or the step that failed. */
export type UriReading =
  | (Reading & { readonly kind: 'located'; readonly file: FolderFile })
  /** A template matches; nothing is there under the name or path. */
  | (Refused & { readonly kind: 'missing' })
  /** No template matches. */
  | (Refused & { readonly kind: 'unmatched' })
  /** A template matches, and the decoded path would leave the folder. */
  | (Refused & { readonly kind: 'unsafe' })

type Form = 'name' | 'path'

const templatesOf = (mode: 'strict' | 'tolerant'): TemplateSet<Form> => {
  const set = createTemplateSet<Form>({ mode })
  set.add(catalogTemplate, 'name')
  set.add(treeTemplate, 'path')
  return set
}
const templates = templatesOf('strict')
const tolerant = templatesOf('tolerant')

/** The characters of a URI without query and fragment (RFC 3986 §3.3). */
const legal = /^[A-Za-z][A-Za-z\d+.-]*:[A-Za-z\d\-._~%!$&'()*+,;=:@/]*$/

/**
 * The template that made this URI. Expansion encodes `+`, `@` and their like, but RFC 3986 lets them stand in a
 * segment as they are, where they mean themselves: that spelling matches too, and the trace names it. Nothing else
 * that a client left unencoded is made sense of.
 */
function matchOf(uri: string): SetMatch<Form> | undefined {
  const strict = templates.match(uri)
  if (strict || !legal.test(uri)) return strict
  const match = tolerant.match(uri)
  return match?.deviations.every(({ code }) => code !== 'raw-slash') ? match : undefined
}

/** Finds what a URI names: match on the encoded text, decode once, guard the decoded path, locate. */
export function resolveUri(uri: string, snapshot: DocumentSnapshot): UriReading {
  try {
    const match = matchOf(uri)
    if (match) return match.data === 'name' ? locateName(match, snapshot) : locatePath(match, snapshot)
    return unmatched(uri, templates.explain(uri).lines)
  } catch (cause) {
    if (cause instanceof MatchLimitError) return unmatched(uri, [cause.message])
    throw cause
  }
}

function unmatched(uri: string, why: readonly string[]): UriReading {
  return { kind: 'unmatched', why, trace: addStep(beginTrace(uri), noMatchStep(uri, why[0] ?? '')) }
}

/** A name is looked up as it is, whatever it holds: it never becomes part of a path. */
function locateName({ values, trace }: SetMatch<Form>, { named }: DocumentSnapshot): UriReading {
  const name = typeof values.name === 'string' ? values.name : ''
  const document = named.get(name)
  if (document) return located(name, document.file, trace)
  return missing(name, `no document is named ${JSON.stringify(name)}`, trace)
}

function locatePath({ values, trace }: SetMatch<Form>, { files }: DocumentSnapshot): UriReading {
  const segments = Array.isArray(values.path) ? values.path.map(String) : []
  const guarded = guardPath(segments.join('/'))
  if (!guarded.ok) {
    const why = `the path ${JSON.stringify(segments.join('/'))} could lead out of the folder (${guarded.code})`
    return { kind: 'unsafe', why: [why], trace: addStep(trace, locateStep(segments.join('/'), false, why)) }
  }
  const file = files.get(guarded.path)
  // A slash within a segment separates nothing, and no file name holds one.
  if (file && !segments.some((segment) => segment.includes('/'))) return located(guarded.path, file, trace)
  return missing(guarded.path, `there is no file ${JSON.stringify(guarded.path)}`, trace)
}

function located(identifier: string, file: FolderFile, trace: ReadTrace): UriReading {
  return { kind: 'located', file, trace: addStep(trace, locateStep(identifier, true)) }
}

function missing(identifier: string, why: string, trace: ReadTrace): UriReading {
  return { kind: 'missing', why: [why], trace: addStep(trace, locateStep(identifier, false, why)) }
}
