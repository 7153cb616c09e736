import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkNonnegative } from './meta.ts'
import { headerNameProblems, portNameProblems, portProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, texts } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'

export function checkPort(errors: Errors, port: unknown, path: string): void {
  if (typeof port === 'string') push(errors, path, port, portNameProblems(port))
  else push(errors, path, port ?? 0, portProblems((port as number | undefined) ?? 0))
}

const schemes = ['HTTP', 'HTTPS']

function checkHttpGet(errors: Errors, action: Obj, path: string): void {
  if (text(action, 'path') === '') errors.push(required(`${path}.path`))
  checkPort(errors, action['port'], `${path}.port`)
  const scheme = text(action, 'scheme')
  if (!schemes.includes(scheme)) errors.push(notSupported(`${path}.scheme`, scheme, schemes))
  for (const header of list(action, 'httpHeaders')) {
    const name = text(header, 'name')
    push(errors, `${path}.httpHeaders`, name, headerNameProblems(name))
  }
}

function checkSleep(errors: Errors, action: Obj, graceSeconds: number | undefined, path: string): void {
  const seconds = number(action, 'seconds')
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return
  const why = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`
  errors.push(invalid(path, seconds, why))
}

type HandlerCheck = (errors: Errors, action: Obj, path: string) => void

/** Exactly one action of a probe or lifecycle hook. */
function checkHandler(errors: Errors, handler: Obj, graceSeconds: number | undefined, path: string): void {
  const checks: Readonly<Record<string, HandlerCheck>> = {
    exec: (into, action, at) => {
      if (texts(action, 'command').length === 0) into.push(required(`${at}.command`))
    },
    httpGet: checkHttpGet,
    tcpSocket: (into, action, at) => checkPort(into, action['port'], `${at}.port`),
    grpc: (into, action, at) => checkPort(into, number(action, 'port'), `${at}.port`),
    sleep: (into, action, at) => checkSleep(into, action, graceSeconds, at),
  }
  let found = 0
  for (const [name, check] of Object.entries(checks)) {
    const action = child(handler, name)
    if (action === undefined) continue
    if (found++ > 0) errors.push(forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'))
    else check(errors, action, `${path}.${name}`)
  }
  if (found === 0) errors.push(required(path, 'must specify a handler type'))
}

const probeCounts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

function checkProbe(errors: Errors, probe: Obj, graceSeconds: number | undefined, path: string): void {
  checkHandler(errors, probe, graceSeconds, path)
  for (const field of probeCounts) checkNonnegative(errors, number(probe, field), `${path}.${field}`)
  const grace = numberIfSet(probe, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace <= 0) {
    errors.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'))
  }
}

export function checkProbes(errors: Errors, container: Obj, graceSeconds: number | undefined, path: string): void {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = child(container, name)
    if (probe === undefined) continue
    const at = `${path}.${name}`
    checkProbe(errors, probe, graceSeconds, at)
    if (name === 'readinessProbe') {
      const grace = numberIfSet(probe, 'terminationGracePeriodSeconds')
      if (grace !== undefined) {
        errors.push(invalid(`${at}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'))
      }
    } else if (number(probe, 'successThreshold') !== 1) {
      errors.push(invalid(`${at}.successThreshold`, number(probe, 'successThreshold'), 'must be 1'))
    }
  }
}

const plainSignals =
  'SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ'.split(
    ' ',
  )
const realTimeSignals = [
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${i + 1}`),
]
const linuxSignals = [...plainSignals, ...realTimeSignals].sort()
const windowsSignals = ['SIGKILL', 'SIGTERM']

export function checkLifecycle(
  errors: Errors,
  container: Obj,
  graceSeconds: number | undefined,
  os: Obj | undefined,
  path: string,
): void {
  const lifecycle = child(container, 'lifecycle')
  if (lifecycle === undefined) return
  const at = `${path}.lifecycle`
  for (const moment of ['postStart', 'preStop']) {
    const handler = child(lifecycle, moment)
    if (handler !== undefined) checkHandler(errors, handler, graceSeconds, `${at}.${moment}`)
  }
  const signal = textIfSet(lifecycle, 'stopSignal')
  if (signal === undefined) return
  if (os === undefined) {
    errors.push(forbidden(`${at}.stopSignal`, 'may not be set for containers with empty `spec.os.name`'))
    return
  }
  const known = text(os, 'name') === 'windows' ? windowsSignals : linuxSignals
  if (!known.includes(signal)) errors.push(notSupported(`${at}.stopSignal`, signal, known))
}
