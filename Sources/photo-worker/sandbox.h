#ifndef SANDBOX_H
#define SANDBOX_H

/// From here on the process can compute, take memory, write to what is open, and end: no file, no network, no program.
/// Gives up where the kernel does not grant that.
void enter_sandbox(void);

#endif
