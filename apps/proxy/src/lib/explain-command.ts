import { sanitizeForDisplay } from '@truename/tool-registry'
import { createUriRoutes } from './uri-routes.ts'
import { lockMissing } from './verify-command.ts'
import type { Workspace } from './workspace.ts'

/** Says whose a URI is, or in at most three lines why nobody's. Starts nothing. Returns the exit code. */
export function explainCommand({ lock, settings }: Workspace, uri: string, json: boolean): number {
  if (!lock) throw lockMissing(settings.lockFile)
  const routes = createUriRoutes(lock.servers)
  const owner = routes.owner(uri)
  const explanation = owner && owner.deviations.length === 0 ? undefined : routes.explain(uri)
  if (json) console.log(JSON.stringify({ uri, owner, explanation }, null, 2))
  else if (owner) {
    const by = owner.template === undefined ? 'one of its resources' : `its template ${owner.template}`
    console.log(`${sanitizeForDisplay(uri)} belongs to ${owner.server}, by ${by}.`)
    if (explanation) for (const line of explanation.lines) console.log(sanitizeForDisplay(line))
  } else for (const line of explanation?.lines ?? []) console.log(sanitizeForDisplay(line))
  return owner ? 0 : 1
}
