import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LISTEN_FLAGS, MESSAGES, REVISIONS } from '../dist/index.js'
import { capabilitiesPage } from './capabilities-page.mjs'

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'capabilities.md')
writeFileSync(page, capabilitiesPage({ messages: MESSAGES, revisions: REVISIONS, listenFlags: LISTEN_FLAGS }))
console.log(`Wrote docs/capabilities.md: ${MESSAGES.length} messages, ${REVISIONS.length} revisions.`)
