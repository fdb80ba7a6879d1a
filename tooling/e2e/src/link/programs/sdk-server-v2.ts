import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { sdkServer } from '../sdk-servers.ts'

serveStdio(() => sdkServer(), process.argv[2] === 'modern-only' ? { legacy: 'reject' } : {})
