"""Makes the certificates of receiver.py in the folder FOLDER: `certificates.py FOLDER`, with PyPI's cryptography.

They are valid for a hundred years, except the one that has expired.
"""

import datetime
import ipaddress
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

BEGIN = datetime.datetime(2026, 1, 1)
CENTURY, DAY = datetime.timedelta(days=36_525), datetime.timedelta(days=1)


def make(name, alternatives, issuer=None, lifetime=CENTURY):
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    issuer_name, issuer_key = issuer or (subject, key)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer_name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(BEGIN).not_valid_after(BEGIN + lifetime)
        .add_extension(x509.BasicConstraints(ca=not alternatives, path_length=None), True))
    if alternatives:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), False)
    made = builder.sign(issuer_key, hashes.SHA256())
    with open(f"{sys.argv[1]}/{name}.pem", "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.PEM))
        if alternatives:
            file.write(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return subject, key


address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
authority = make("authority", [])
make("receiver", [x509.DNSName("receiver.test"), address], authority)
make("expired", [x509.DNSName("expired.test")], authority, DAY)
make("other", [x509.DNSName("other.example")], authority)
make("self-signed", [x509.DNSName("self-signed.test")])
