import { isJsonObject } from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'

/** Whether resources of a server of the lock can be subscribed to: it said so when it was locked, and some are routed. */
export const isSubscribable = ({ capabilities, modes, uriSpace }: LockedServer): boolean =>
  modes.resources === 'on' &&
  isJsonObject(capabilities.resources) &&
  capabilities.resources.subscribe === true &&
  uriSpace.templates.length + uriSpace.prefixes.length + uriSpace.exact.length > 0
