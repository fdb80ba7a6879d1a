import { createRequire } from 'node:module'
import { UriTemplate as SdkUriTemplate } from '@modelcontextprotocol/server'
import { UriTemplateMatcher } from 'uri-template-matcher'

/** A library that takes the values of a template's variables out of a URI. */
export interface MatchingPeer {
  readonly name: string
  /** Prepares one template. Answers what gives the values of a URI, or nothing where there are none. */
  readonly prepare: (source: string) => (uri: string) => unknown
}

// Most of them are CommonJS without types: what is used of each is written down here.
const load = createRequire(import.meta.url)
const Lite = load('uri-template-lite') as new (source: string) => { match(uri: string): unknown }
const uriTemplates = load('uri-templates') as (source: string) => { fromUri(uri: string): unknown }
const Rfc6570 = load('rfc6570/src/UriTemplate.js') as new (source: string) => { parse(uri: string): unknown }
const { Router } = load('uri-template-router') as {
  Router: new () => {
    addTemplate(source: string): unknown
    resolveURI(uri: string): { params: unknown } | undefined
  }
}

/** The libraries of the JavaScript world that match URI templates. */
export const matchingPeers: readonly MatchingPeer[] = [
  {
    name: 'uri-template-lite',
    prepare: (source) => {
      const template = new Lite(source)
      return (uri) => template.match(uri)
    },
  },
  {
    name: 'uri-templates',
    prepare: (source) => {
      const template = uriTemplates(source)
      return (uri) => template.fromUri(uri)
    },
  },
  {
    name: 'rfc6570',
    prepare: (source) => {
      const template = new Rfc6570(source)
      return (uri) => template.parse(uri)
    },
  },
  {
    name: 'uri-template-matcher',
    prepare: (source) => {
      const matcher = new UriTemplateMatcher()
      matcher.add(source)
      return (uri) => matcher.match(uri)?.params
    },
  },
  {
    name: 'uri-template-router',
    prepare: (source) => {
      const router = new Router()
      router.addTemplate(source)
      return (uri) => router.resolveURI(uri)?.params
    },
  },
  {
    name: 'MCP SDK UriTemplate',
    prepare: (source) => {
      const template = new SdkUriTemplate(source)
      return (uri) => template.match(uri)
    },
  },
]
