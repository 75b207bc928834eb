#ifndef SANDBOX_H
#define SANDBOX_H

/// Restricts the process to computing, allocating memory, writing to open files and exiting. It can no longer open
/// files, use the network or start programs. Ends the process if the kernel does not support this.
///
/// - Parameter seconds: The maximum processor time.
void enter_sandbox(unsigned seconds);

#endif
