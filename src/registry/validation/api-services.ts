import { label1035Problems, subdomainProblems } from '../../api/name-problems.ts'
import { invalid, notSupported, required } from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { pathSegmentProblems, portProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { flag, number, text } from './scalars.ts'

// v1.36, kube-aggregator, apis/apiregistration/validation.

export function checkApiService(errors: Errors, service: Obj): void {
  const meta = metaOf(service)
  const spec = part(service, 'spec')
  const [group, version] = [text(spec, 'group'), text(spec, 'version')]
  checkMeta(errors, meta, { namespaced: false, name: 'anything', kubeFinalizers: false })
  const wanted = `${version}.${group}`
  const other = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`
  for (const field of ['generateName', 'name']) {
    const name = text(meta, field)
    if (name === '' || name === wanted) continue
    const problems = pathSegmentProblems(name)
    push(errors, `metadata.${field}`, name, problems.length > 0 ? problems : [other])
  }
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  if (group !== '') push(errors, 'spec.group', group, subdomainProblems(group))
  push(errors, 'spec.version', version, label1035Problems(version))
  checkPriority(errors, 'groupPriorityMinimum', number(spec, 'groupPriorityMinimum'), 20_000)
  checkPriority(errors, 'versionPriority', number(spec, 'versionPriority'), 1000)
  checkTarget(errors, spec)
}

function checkPriority(errors: Errors, field: string, value: number, max: number): void {
  if (value > 0 && value <= max) return
  errors.push(invalid(`spec.${field}`, value, `must be positive and less than ${max}`))
}

function checkTarget(errors: Errors, spec: Obj): void {
  const service = child(spec, 'service')
  const bundle = text(spec, 'caBundle')
  const skips = flag(spec, 'insecureSkipTLSVerify')
  if (service === undefined) {
    if (bundle !== '') {
      const size = `${Buffer.from(bundle, 'base64').length} bytes`
      errors.push(invalid('spec.caBundle', size, 'local APIServices may not have a caBundle'))
    }
    const why = 'local APIServices may not have insecureSkipTLSVerify'
    if (skips) errors.push(invalid('spec.insecureSkipTLSVerify', true, why))
    return
  }
  if (text(service, 'namespace') === '') errors.push(required('spec.service.namespace'))
  if (text(service, 'name') === '') errors.push(required('spec.service.name'))
  const port = number(service, 'port')
  const problems = portProblems(port)
  if (problems.length > 0) {
    errors.push(invalid('spec.service.port', port, `port is not valid: ${problems.join(', ')}`))
  }
  if (skips && bundle !== '') {
    errors.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
}

export function checkApiServiceUpdate(errors: Errors, service: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(service), metaOf(old))
  checkApiService(errors, service)
}

const statuses = ['True', 'False', 'Unknown']

export function checkApiServiceStatus(errors: Errors, service: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(service), metaOf(old))
  list(part(service, 'status'), 'conditions').forEach((condition, i) => {
    const status = text(condition, 'status')
    if (!statuses.includes(status)) errors.push(notSupported(`status.conditions[${i}].status`, status, statuses))
  })
}
