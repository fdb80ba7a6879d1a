import type * as v2 from '@modelcontextprotocol/client'
import type { Prompt, ResourceTemplate, Tool } from '@modelcontextprotocol/sdk/types.js'
import { prefixOf } from '@truename/prompt-prefix'
import { digestDefinition, digestSet, type Surface } from '@truename/tool-registry'

/** What either SDK line gives assigns to what the registry takes, with no cast. */
export function takesTheFirstLine(
  tools: Tool[],
  prompts: Prompt[],
  resourceTemplates: ResourceTemplate[],
): Surface {
  digestSet(tools)
  prefixOf({
    tools: tools.map((definition) => ({
      key: { server: 's', kind: 'tool', name: definition.name },
      definition,
    })),
    system: '',
  })
  return { tools, prompts, resourceTemplates }
}

export function takesTheSecondLine(
  tools: v2.Tool[],
  prompts: v2.Prompt[],
  resourceTemplates: v2.ResourceTemplateType[],
): Surface {
  for (const tool of tools) digestDefinition(tool)
  prefixOf({
    tools: tools.map((definition) => ({
      key: { server: 's', kind: 'tool', name: definition.name },
      definition,
    })),
    system: '',
  })
  return { tools, prompts, resourceTemplates }
}
