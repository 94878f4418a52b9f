import RemoteFiles

var options = RemoteOptions()
options.timeout = 10
options.allowsPrivateAddresses = false
print(options.attempts, options.storeByteCount)
