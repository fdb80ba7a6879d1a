import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import type { Approvals } from '@truename/call-gate'
import { type ApprovalSeal, fileApprovals } from '@truename/call-gate/file'
import { defaultSigningKeyPath, openSigner } from '@truename/decision-log/file'
import { signerName } from './open-log.ts'
import type { Workspace } from './workspace.ts'

/**
 * The approvals of a configuration. What stands in their file counts where it was written by this user at this place:
 * one that came from elsewhere, with a pull or through a link, is refused.
 */
export function openApprovals({ config, settings }: Workspace): Approvals {
  const file = settings.approvalsFile
  return fileApprovals(file, { seal: createSeal(placeIn(config.folder, file)) })
}

/** The file by the folder as it really is and its name below; links below the folder make no other place of it. */
function placeIn(folder: string, file: string): string {
  const name = relative(folder, file)
  return isAbsolute(name) || name.startsWith('..') ? file : join(realpathSync(folder), name)
}

/** Seals by the key of the user, which is outside of every project. The same text has one signature (RFC 8032). */
function createSeal(place: string): ApprovalSeal {
  let signer: ReturnType<typeof openSigner> | undefined
  return async (content) => {
    signer ??= openSigner(defaultSigningKeyPath(), { name: signerName })
    try {
      const { sign } = await signer
      const signature = await sign(Buffer.from(`truename approvals\n${place}\n${content}`))
      return Buffer.from(signature).toString('base64url')
    } catch (error) {
      // A key that cannot be read now may be readable later.
      signer = undefined
      throw error
    }
  }
}
