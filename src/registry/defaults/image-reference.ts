const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`
const pathPart = '[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*'
const path = `${pathPart}(?:/${pathPart})*`
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}'
const reference = new RegExp(`^(?:${domain}/)?${path}(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`)
const identifier = /^[a-f0-9]{64}$/

/**
 * The tag that an image is pulled by: `latest` when the reference has neither tag nor digest, empty when it is no
 * reference at all (distribution's reference.ParseNormalizedNamed, by way of util/parsers).
 */
export function imageTag(image: string): string {
  if (identifier.test(image)) return ''
  const match = reference.exec(image)
  if (match === null) return ''
  const [, tag, hash] = match
  return tag ?? (hash === undefined ? 'latest' : '')
}
