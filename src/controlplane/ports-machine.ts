import { networkInterfaces } from 'node:os'

/** An address of the machine that other machines can reach, if it has one; IPv4 is preferred. */
export function machineAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const external = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return (external.find(({ family }) => family === 'IPv4') ?? external[0])?.address
}
