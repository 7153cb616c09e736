import { networkInterfaces } from 'node:os'

/** An address of the machine by which others reach it, if it has one; IPv4 first. */
export function machineAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const external = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return (external.find(({ family }) => family === 'IPv4') ?? external[0])?.address
}
