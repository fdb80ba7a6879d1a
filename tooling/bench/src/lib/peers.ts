import { createRequire } from 'node:module'
import { UriTemplate as SdkUriTemplate } from '@modelcontextprotocol/server'
import { StdUriTemplate } from 'std-uritemplate'
import { UriTemplateExpander } from 'uri-template-matcher'
import { parseTemplate as parseUrlTemplate } from 'url-template'

/** Values by variable name. */
export type Values = Readonly<Record<string, unknown>>

/** A library of URI templates, as the suites use it. */
export interface TemplatePeer {
  readonly name: string
  /** Parses, and expands what was parsed. */
  readonly parse: (source: string) => { readonly expand: (values: Values) => string }
  /** Whether parsing and expanding are one step in this library, so that it has no parse of its own to time. */
  readonly oneStep?: boolean
}

// Most of them are CommonJS without types: what is used of each is written down here.
const load = createRequire(import.meta.url)
type Expander = { expand(values: Values): string }
const uriTemplate = load('uri-template') as { parse(source: string): Expander }
const uritemplate = load('uritemplate') as { parse(source: string): Expander }
const uriTemplates = load('uri-templates') as (source: string) => { fill(values: Values): string }
const Rfc6570 = load('rfc6570/src/UriTemplate.js') as new (
  source: string,
) => { stringify(values: Values): string }
const Lite = load('uri-template-lite') as new (source: string) => Expander
const hyperjump = load('@hyperjump/uri-template') as {
  parse(source: string): object
  expand(template: object, values: Values): string
}
const { Route } = load('uri-template-router') as {
  Route: new (source: string) => { gen(values: Values): string }
}

/** The libraries of the JavaScript world that expand URI templates. */
export const templatePeers: readonly TemplatePeer[] = [
  {
    name: 'std-uritemplate',
    parse: (source) => ({ expand: (values) => StdUriTemplate.expand(source, values as never) }),
    oneStep: true,
  },
  { name: 'uri-template', parse: (source) => uriTemplate.parse(source) },
  { name: 'url-template', parse: (source) => parseUrlTemplate(source) as Expander, oneStep: true },
  { name: 'uritemplate', parse: (source) => uritemplate.parse(source) },
  {
    name: 'uri-templates',
    parse: (source) => {
      const template = uriTemplates(source)
      return { expand: (values) => template.fill(values) }
    },
  },
  {
    name: 'rfc6570',
    parse: (source) => {
      const template = new Rfc6570(source)
      return { expand: (values) => template.stringify(values) }
    },
  },
  { name: 'uri-template-lite', parse: (source) => new Lite(source) },
  {
    name: 'uri-template-matcher',
    parse: (source) => new UriTemplateExpander(source) as Expander,
    oneStep: true,
  },
  {
    name: '@hyperjump/uri-template',
    parse: (source) => {
      const template = hyperjump.parse(source)
      return { expand: (values) => hyperjump.expand(template, values) }
    },
  },
  {
    name: 'uri-template-router',
    parse: (source) => {
      const route = new Route(source)
      return { expand: (values) => route.gen(values) }
    },
  },
  {
    name: 'MCP SDK UriTemplate',
    parse: (source) => {
      const template = new SdkUriTemplate(source)
      return { expand: (values) => template.expand(values as never) }
    },
  },
]
