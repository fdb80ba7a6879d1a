import { type Surface as ListedSurface, listSurface, type Upstream } from '@truename/mcp-link'
import type { Surface } from '@truename/tool-registry'

/** What a server shows now, and what could not be listed. */
export interface LiveSurface {
  readonly surface: Surface
  readonly listed: ListedSurface
  /** One line per family that failed or ended early. */
  readonly problems: readonly string[]
  /** Whether every family the server has was listed to its end: only then does absence mean removal. */
  readonly complete: boolean
}

const families = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const

/** Lists everything a connected server shows: all pages of all families it has. */
export async function readLiveSurface(upstream: Upstream, signal?: AbortSignal): Promise<LiveSurface> {
  const listed = await listSurface(upstream, { signal })
  const problems = families.flatMap((family) => {
    const { state, error, warnings } = listed[family]
    const failed = state === 'failed' ? [`${family}: ${error?.message ?? 'could not be listed'}`] : []
    return [...failed, ...warnings.map((warning) => `${family}: ${warning}`)]
  })
  const items = (family: (typeof families)[number]) =>
    listed[family].state === 'unsupported' ? undefined : listed[family].items
  return {
    listed,
    problems,
    complete: (['tools', 'prompts', 'resourceTemplates'] as const).every(
      (family) => listed[family].state !== 'failed',
    ),
    surface: {
      serverInfo: upstream.serverInfo ?? null,
      capabilities: upstream.capabilities,
      era: upstream.negotiation.era,
      version: upstream.negotiation.version,
      instructions: upstream.instructions ?? null,
      tools: items('tools'),
      prompts: items('prompts'),
      resourceTemplates: items('resourceTemplates'),
      resources: items('resources'),
    },
  }
}
