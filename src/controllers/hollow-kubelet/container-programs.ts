import type { Container, Pod } from '../../api/objects/pod.ts'
import { isSidecar } from '../../api/pod-resources.ts'

// A hollow container has no process. In a few cases its image and command determine when and how it ends.

const pauseImage = /(^|\/)pause(-[a-z0-9]+)?([:@]|$)/
const sleep = /^(\/bin\/)?sleep$/
const shell = /^(\/bin\/)?(ba|da)?sh$/
const endlessLoop = /\bwhile\s+(true|:)\s*[;\n]/
const handledTerm = /\btrap\s+(\S+)\s+(SIG)?TERM\b/

/** The script of a container that runs a shell. */
function scriptOf({ command = [], args = [] }: Container): string | undefined {
  const [program = '', option = '', script] = [...command, ...args]
  return shell.test(program) && /^-[a-z]*c$/.test(option) ? script : undefined
}

/** The time after which a container completes. Undefined: unknown. */
function runMs(container: Container): number | undefined {
  const { image = '', command = [], args = [] } = container
  const [program, seconds = '', ...rest] = [...command, ...args]
  if (program === undefined) return pauseImage.test(image) ? Number.POSITIVE_INFINITY : undefined
  if (sleep.test(program) && /^\d{1,9}$/.test(seconds) && rest.length === 0) return Number(seconds) * 1000
  return endlessLoop.test(scriptOf(container) ?? '') ? Number.POSITIVE_INFINITY : undefined
}

/**
 * The running time of a pod whose containers only sleep, wait in an endless loop, or pause. Undefined: a container does
 * something else.
 */
export function sleepMs({ spec }: Pod): number | undefined {
  let longest: number | undefined
  for (const container of spec.containers) {
    const ms = runMs(container)
    if (ms === undefined) return undefined
    longest = Math.max(longest ?? 0, ms)
  }
  return longest
}

const exits = /^\s*exit(?:\s+(\d{1,3}))?\s*;?\s*$/
const constant = /^(?:\/bin\/)?(true|false)$/

function ownExitCode(container: Container): number | undefined {
  const [program = ''] = [...(container.command ?? []), ...(container.args ?? [])]
  const known = constant.exec(program)?.[1]
  if (known !== undefined) return known === 'true' ? 0 : 1
  const exit = exits.exec(scriptOf(container) ?? '')
  return exit === null ? undefined : Number(exit[1] ?? 0) % 256
}

/**
 * The exit code of a pod whose containers all end immediately (`true`, `false`, `sh -c "exit 3"`): the code of the
 * first container that fails. Undefined: a container does something else.
 */
export function exitCodeOf({ spec }: Pod): number | undefined {
  let code = 0
  for (const container of spec.containers) {
    const own = ownExitCode(container)
    if (own === undefined) return undefined
    if (code === 0) code = own
  }
  return code
}

/** An init container whose command fails immediately. */
export interface FailingInit {
  readonly name: string
  readonly exitCode: number
}

/**
 * The first init container that fails. An init container whose command does not end immediately counts as succeeding.
 */
export function failingInitOf({ spec }: Pod): FailingInit | undefined {
  for (const container of spec.initContainers ?? []) {
    const exitCode = isSidecar(container) ? 0 : (ownExitCode(container) ?? 0)
    if (exitCode !== 0) return { name: container.name, exitCode }
  }
  return undefined
}

interface PreStop {
  readonly sleep?: { readonly seconds?: number }
}

/**
 * The time that a pod needs to stop: the time of its preStop hooks, or the whole grace period if a script handles
 * SIGTERM by more than an exit. Undefined: the pod has neither.
 */
export function stopMs({ spec }: Pod): number | undefined {
  let longest: number | undefined
  for (const container of spec.containers) {
    const hook = (container.lifecycle as { readonly preStop?: PreStop } | undefined)?.preStop
    const handler = handledTerm.exec(scriptOf(container) ?? '')?.[1]
    const isHandled = handler !== undefined && !/^['"]?exit/.test(handler)
    if (hook === undefined && !isHandled) continue
    const seconds = hook?.sleep === undefined ? Number.POSITIVE_INFINITY : (hook.sleep.seconds ?? 0)
    longest = Math.max(longest ?? 0, isHandled ? Number.POSITIVE_INFINITY : seconds * 1000)
  }
  return longest
}
