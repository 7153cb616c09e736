import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import {
  duplicate,
  forbidden,
  invalid,
  missing,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../errors/field-error.ts'
import { checkEnvironment, checkEnvironmentFrom } from './environment.ts'
import { checkLifecycle, checkProbes } from './handlers.ts'
import { checkMounts } from './mounts.ts'
import { checkLabelName, portNameProblems, portProblems, push } from './names.ts'
import { checkRequirements } from './quantities.ts'
import { child, type Errors, list, numbers, type Obj, part } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'
import { checkContainerSecurity } from './security-context.ts'
import { checkPullPolicy } from './volumes.ts'

/** The parts of the pod that a container is checked against. */
export interface ContainerScope {
  readonly spec: Obj
  readonly volumes: ReadonlyMap<string, Obj>
  readonly claimNames: readonly string[]
  readonly hostUsers: boolean
}

const protocols = ['SCTP', 'TCP', 'UDP']
const messagePolicies = ['File', 'FallbackToLogsOnError']

function checkPorts(errors: Errors, ports: readonly Obj[], path: string): void {
  if (ports.length === 0) return
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = `${path}[${i}]`
    const name = text(port, 'name')
    if (name !== '') {
      const problems = portNameProblems(name)
      if (problems.length > 0) push(errors, `${at}.name`, name, problems)
      else if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
      else names.add(name)
    }
    const containerPort = number(port, 'containerPort')
    if (containerPort === 0) errors.push(required(`${at}.containerPort`))
    else push(errors, `${at}.containerPort`, containerPort, portProblems(containerPort))
    const hostPort = number(port, 'hostPort')
    if (hostPort !== 0) push(errors, `${at}.hostPort`, hostPort, portProblems(hostPort))
    const protocol = text(port, 'protocol')
    if (protocol === '') errors.push(required(`${at}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols))
  })
}

function checkCommon(errors: Errors, container: Obj, scope: ContainerScope, path: string): void {
  const name = text(container, 'name')
  if (name === '') errors.push(required(`${path}.name`))
  else checkLabelName(errors, name, `${path}.name`)
  if (text(container, 'image') === '') errors.push(required(`${path}.image`))
  const policy = text(container, 'terminationMessagePolicy')
  if (policy === '') errors.push(required(`${path}.terminationMessagePolicy`))
  else if (!messagePolicies.includes(policy)) {
    errors.push(notSupported(`${path}.terminationMessagePolicy`, policy, messagePolicies))
  }
  checkPorts(errors, list(container, 'ports'), `${path}.ports`)
  checkEnvironment(errors, list(container, 'env'), `${path}.env`)
  checkEnvironmentFrom(errors, list(container, 'envFrom'), `${path}.envFrom`)
  checkMounts(errors, container, scope.volumes, path)
  checkPullPolicy(errors, text(container, 'imagePullPolicy'), `${path}.imagePullPolicy`)
  checkRequirements(errors, part(container, 'resources'), scope.claimNames, `${path}.resources`)
  checkResizePolicies(
    errors,
    list(container, 'resizePolicy'),
    text(scope.spec, 'restartPolicy'),
    `${path}.resizePolicy`,
  )
  checkContainerSecurity(errors, child(container, 'securityContext'), scope.hostUsers, `${path}.securityContext`)
}

const resizeResources = ['cpu', 'memory']
const resizePolicies = ['NotRequired', 'RestartContainer']

function checkResizePolicies(errors: Errors, policies: readonly Obj[], restartPolicy: string, path: string): void {
  if (policies.length === 0) return
  const seen = new Set<string>()
  policies.forEach((policy, i) => {
    const resource = text(policy, 'resourceName')
    const restart = text(policy, 'restartPolicy')
    if (seen.has(resource)) errors.push(duplicate(`${path}[${i}]`, resource))
    seen.add(resource)
    if (resource === '') errors.push(required(path))
    else if (!resizeResources.includes(resource)) errors.push(notSupported(path, resource, resizeResources))
    if (restart === '') errors.push(required(path))
    else if (!resizePolicies.includes(restart)) errors.push(notSupported(path, restart, resizePolicies))
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      const policy = atLeast(errors.release, '1.36') ? 'pod `restartPolicy`' : '`restartPolicy`'
      errors.push(invalid(path, restart, `must be 'NotRequired' when ${policy} is 'Never'`))
    }
  })
}

const restartPolicies = ['Always', 'Never', 'OnFailure']
const ruleActions = ['Restart', 'RestartAllContainers']
const ruleOperators = ['In', 'NotIn']

/** `policy-first`: without a restart policy, the rules of init containers are not checked. */
function checkRestartRules(errors: Errors, container: Obj, path: string, order?: 'policy-first'): void {
  const policy = textIfSet(container, 'restartPolicy')
  const rules = list(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length === 0) return
    if (order === 'policy-first' && !atLeast(errors.release, '1.35')) return
    errors.push(required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'))
    if (order === 'policy-first') return
  } else if (order === 'policy-first' && policy === 'Always' && !mayRestartAll(errors.release)) {
    const why = 'restartPolicyRules are not allowed for init containers with restart policy Always'
    if (rules.length > 0) errors.push(forbidden(`${path}.restartPolicyRules`, why))
    return
  } else if (!restartPolicies.includes(policy)) {
    errors.push(notSupported(`${path}.restartPolicy`, policy, restartPolicies))
  }
  checkCount(errors, `${path}.restartPolicyRules`, rules.length, 20)
  rules.forEach((rule, i) => {
    const at = `${path}.restartPolicyRules[${i}]`
    const action = text(rule, 'action')
    const actions = mayRestartAll(errors.release) ? ruleActions : ['Restart']
    if (!actions.includes(action)) {
      errors.push(notSupported(`${at}.action`, action, atLeast(errors.release, '1.36') ? actions : ['Restart']))
    }
    const codes = child(rule, 'exitCodes')
    if (codes === undefined) {
      errors.push(required(`${at}.exitCodes`, 'must be specified'))
      return
    }
    const operator = text(codes, 'operator')
    if (!ruleOperators.includes(operator)) {
      errors.push(notSupported(`${at}.exitCodes.operator`, operator, ruleOperators))
    }
    const { length } = numbers(codes, 'values')
    checkCount(errors, `${at}.exitCodes.values`, length, 255)
  })
}

const mayRestartAll = ({ gates }: KubernetesRelease): boolean => gates.has('RestartAllContainersOnContainerExits')

function checkCount(errors: Errors, path: string, count: number, max: number): void {
  if (count > max) errors.push(atLeast(errors.release, '1.36') ? tooMany(path, count, max) : tooLong(path, max))
}

function checkHostPorts(errors: Errors, containers: readonly Obj[], path: string): void {
  const taken = new Set<string>()
  containers.forEach((container, i) => {
    list(container, 'ports').forEach((port, j) => {
      const hostPort = number(port, 'hostPort')
      if (hostPort === 0) return
      const key = `${text(port, 'protocol')}/${text(port, 'hostIP')}/${hostPort}`
      if (taken.has(key)) errors.push(duplicate(`${path}[${i}].ports[${j}].hostPort`, key))
      taken.add(key)
    })
  })
}

const graceOf = (spec: Obj): number | undefined => numberIfSet(spec, 'terminationGracePeriodSeconds')

export function checkContainers(errors: Errors, scope: ContainerScope, path: string): void {
  const containers = list(scope.spec, 'containers')
  if (containers.length === 0) {
    errors.push(required(path))
    return
  }
  const os = child(scope.spec, 'os')
  const names = new Set<string>()
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`
    checkCommon(errors, container, scope, at)
    const name = text(container, 'name')
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    checkLifecycle(errors, container, graceOf(scope.spec), os, at)
    checkProbes(errors, container, graceOf(scope.spec), at)
    checkRestartRules(errors, container, at)
  })
  checkHostPorts(errors, containers, path)
}

const sidecarFields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']

export function checkInitContainers(errors: Errors, scope: ContainerScope, path: string): void {
  const containers = list(scope.spec, 'initContainers')
  if (containers.length === 0) return
  const names = new Set(list(scope.spec, 'containers').map((container) => text(container, 'name')))
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`
    checkCommon(errors, container, scope, at)
    checkRestartRules(errors, container, at, 'policy-first')
    const name = text(container, 'name')
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    else if (name !== '') names.add(name)
    checkHostPorts(errors, [container], path)
    if (text(container, 'restartPolicy') === 'Always') {
      checkLifecycle(errors, container, graceOf(scope.spec), child(scope.spec, 'os'), at)
      checkProbes(errors, container, graceOf(scope.spec), at)
      return
    }
    for (const field of sidecarFields) {
      if (child(container, field) === undefined) continue
      errors.push(forbidden(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always'))
    }
    list(container, 'resizePolicy').forEach((policy, j) => {
      if (text(policy, 'restartPolicy') !== 'RestartContainer') return
      const why = "must not be set to 'RestartContainer' for non-sidecar initContainers"
      errors.push(invalid(`${at}.resizePolicy[${j}].restartPolicy`, 'RestartContainer', why))
    })
  })
}

const ephemeralFields = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'env',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
])

export function checkEphemeralContainers(errors: Errors, scope: ContainerScope, path: string): void {
  const containers = list(scope.spec, 'ephemeralContainers')
  if (containers.length === 0) return
  const others = new Set(
    [...list(scope.spec, 'containers'), ...list(scope.spec, 'initContainers')].map((one) => text(one, 'name')),
  )
  const names = new Set(others)
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`
    checkCommon(errors, container, scope, at)
    checkImageSpaces(errors, container, at)
    const name = text(container, 'name')
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
    const target = text(container, 'targetContainerName')
    if (target !== '' && !others.has(target)) errors.push(missing(`${at}.targetContainerName`, target))
    const why = 'cannot be set for an Ephemeral Container'
    for (const field in container) {
      const empty = field === 'resources' && Object.keys(part(container, field)).length === 0
      if (!ephemeralFields.has(field) && !empty) errors.push(forbidden(`${at}.${field}`, why))
    }
    list(container, 'volumeMounts').forEach((mount, j) => {
      for (const field of ['subPath', 'subPathExpr']) {
        if (text(mount, field) !== '') errors.push(forbidden(`${at}.volumeMounts[${j}].${field}`, why))
      }
    })
  })
}

export function checkImageSpaces(errors: Errors, container: Obj, path: string): void {
  const image = text(container, 'image')
  if (image.trim() === image) return
  errors.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'))
}
