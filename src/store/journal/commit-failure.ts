let isInstalled = false

/**
 * When a transaction fails, lmdb rejects a promise that it gives to no caller, besides those that it does give. Node
 * would end the process for that. All other rejections without a handler end it as before.
 */
export function ignoreInnerRejections(): void {
  if (isInstalled) return
  isInstalled = true
  process.on('unhandledRejection', (reason) => {
    if (isInnerRejection(reason)) return
    throw reason
  })
}

function isInnerRejection(reason: unknown): boolean {
  return reason instanceof Error && 'commitError' in reason && reason.message.startsWith('Commit failed')
}
