import { operators, type Template } from '@truename/uri-codec'
import { newlyReserved } from './characters.ts'
import { explodedNames, expressionPart, partsOf } from './parts.ts'
import { type Readable, readable } from './program.ts'

/**
 * What values expand to that `findAmbiguity` looks at: non-empty texts without triplets that `+` and `#` would keep,
 * non-empty lists of them for `*`, and maps; queries in the order of the template.
 */
export function domainOf(template: Template): Readable {
  const exploded = explodedNames(template)
  return readable(
    template.nodes.map((node) => {
      if (node.type === 'literal') return partsOf({ ...template, nodes: [node] }, false)[0]!
      const part = expressionPart(node, exploded, false)
      const { reserved } = operators[node.operator]
      return { ...part, type: 'slots', apart: true, ...(reserved && { set: newlyReserved }) }
    }),
  )
}
