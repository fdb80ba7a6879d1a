import { expandTemplate } from '@truename/uri-codec'

/** Documents by free-text name: one segment in which a slash is data. */
export const catalogTemplate = 'docs://catalog/{name}'

/** Documents by where their file lies: segments which slashes separate. */
export const treeTemplate = 'docs://tree{/path*}'

/** The URI of a document by its name. */
export function uriOfName(name: string): string {
  return expandTemplate(catalogTemplate, { name })
}

/** The URI of a document by its path below the folder. */
export function uriOfPath(path: string): string {
  return expandTemplate(treeTemplate, { path: path.split('/') })
}
